import { createContext, useContext, useEffect, useEffectEvent } from 'react'
import type { KeyBinding } from './bindings.ts'

export interface Keys {
  readonly bindings: readonly KeyBinding[]
  /** Makes a command work while a part is on the page. The part that came last gets the key. */
  readonly register: (id: string, run: () => void) => () => void
  /** Whether some part on the page handles the command. */
  readonly isHandled: (id: string) => boolean
  readonly run: (id: string) => void
}

const nothing = () => undefined

export const KeyContext = createContext<Keys>({
  bindings: [],
  register: () => nothing,
  isHandled: () => false,
  run: nothing,
})

/** Runs `act` when the keys of the command are pressed, while this part is on the page. */
export function useKey(id: string, act: () => void, { enabled = true }: { readonly enabled?: boolean } = {}): void {
  const { register } = useContext(KeyContext)
  const run = useEffectEvent(act)
  useEffect(() => (enabled ? register(id, () => run()) : undefined), [id, enabled, register])
}

/** The keys of a command as they are now; null when it has none. */
export function useKeysOf(id: string): string | null {
  return useContext(KeyContext).bindings.find((binding) => binding.id === id)?.active ?? null
}
