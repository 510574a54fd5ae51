import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/** Something that the palette offers beside pages and keys, such as a judge. */
interface PaletteItem {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly run: () => void
}

interface PaletteState {
  readonly items: readonly PaletteItem[]
  /** How often it was opened; the palette is loaded at the first time. */
  readonly opened: number
}

let state: PaletteState = { items: [], opened: 0 }
const listeners = new Set<() => void>()

function replace(part: Partial<PaletteState>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

export function openPalette(): void {
  replace({ opened: state.opened + 1 })
}

/** Offers items in the palette while a part is on the page. `own` should keep its identity between renders. */
export function usePaletteItems(own: readonly PaletteItem[]): void {
  const run = useEffectEvent((id: string) => own.find((item) => item.id === id)?.run())
  useEffect(() => {
    const added = own.map((item) => ({ ...item, run: () => run(item.id) }))
    replace({ items: [...state.items, ...added] })
    return () => replace({ items: state.items.filter((item) => !added.includes(item)) })
  }, [own])
}

export function usePalette(): PaletteState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}
