// Lays a tree out beside the page, which would stand still for it.

import { appendColumns, decodeColumns, kNoColumns, kRefuted, type Columns } from '../wire/columns.ts'
import { layOut, type Layout } from './layout.ts'

export interface LaidOut {
  columns: Columns
  layout: Layout
  first: number     // From which node on is this new?
}

let columns: Columns = kNoColumns

onmessage = (event: MessageEvent<{ bytes: ArrayBuffer; whole: boolean }>) => {
  try {
    const more = decodeColumns(event.data.bytes)
    columns = event.data.whole ? more : appendColumns(columns, more)
    const { parent, speedup, verdict, flags } = columns
    const layout = layOut(columns.count, {
      parent, speedup,
      counts: (i) => verdict[i] === 0 && (flags[i]! & kRefuted) === 0,
    })
    // What is ours is copied to the page; the layout we give away.
    postMessage({ columns, layout, first: more.first } satisfies LaidOut, {
      transfer: [layout.rowStart, layout.rowNode, layout.rowX, layout.rowWidth,
        layout.place, layout.depth, layout.size, layout.best].map((a) => a.buffer),
    })
  } catch (error) {
    postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
}
