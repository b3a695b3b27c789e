// Light or dark, as the system has it or as the reader chose; and whether things
// may move.

export type Choice = 'system' | 'light' | 'dark'

const kKey = 'coppice-theme'

function stored(): Choice {
  try {
    const value = localStorage.getItem(kKey)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const prefersStill = matchMedia('(prefers-reduced-motion: reduce)')

class Theme {
  choice = $state<Choice>(stored())
  private system = $state(prefersDark.matches)
  still = $state(prefersStill.matches)

  constructor() {
    prefersDark.addEventListener('change', (e) => { this.system = e.matches })
    prefersStill.addEventListener('change', (e) => { this.still = e.matches })
  }

  get dark(): boolean {
    return this.choice === 'system' ? this.system : this.choice === 'dark'
  }

  next(): void {
    this.choice = this.choice === 'system' ? (this.system ? 'light' : 'dark')
      : this.choice === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem(kKey, this.choice)
    } catch {
      // Without storage it lasts until the page is left.
    }
  }
}

export const theme = new Theme()

// A colour of app.css, for a canvas.
export function colour(name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const value = getComputedStyle(probe).color
  probe.remove()
  return value
}
