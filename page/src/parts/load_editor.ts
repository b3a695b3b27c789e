// The editor, fetched with the first code.  Should it not come, since the server
// has another version or is gone, its place says so.

export function withEditor(host: HTMLElement, act: (editor: typeof import('./editor.ts')) => void): void {
  import('./editor.ts').then(act, () => { host.textContent = 'A part of the page did not come. Reload.' })
}
