import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { createKeybindingsHandler } from 'tinykeys'
import { bindingsOf, commandsByKeys, isSingleKey, type KeyPreferences } from './bindings.ts'
import type { KeyCommand } from './commands.ts'
import { KeyContext } from './key-context.ts'

interface KeyProviderProps {
  readonly commands: readonly KeyCommand[]
  readonly preferences: KeyPreferences
  readonly children: ReactNode
}

/** Listens to the keys of all commands and passes each to the part of the page that handles it. */
export function KeyProvider({ commands, preferences, children }: KeyProviderProps): ReactNode {
  const handlers = useRef(new Map<string, (() => void)[]>())
  const bindings = useMemo(() => bindingsOf(commands, preferences), [commands, preferences])
  const register = useCallback((id: string, run: () => void) => {
    const all = handlers.current
    all.set(id, [...(all.get(id) ?? []), run])
    return () =>
      void all.set(
        id,
        (all.get(id) ?? []).filter((each) => each !== run),
      )
  }, [])
  const run = useCallback((id: string) => handlers.current.get(id)?.at(-1)?.(), [])
  const isHandled = useCallback((id: string) => (handlers.current.get(id)?.length ?? 0) > 0, [])

  useEffect(() => {
    // Pages may use the same keys for commands of their own; the one that is on the page gets them.
    const listeners = commandsByKeys(bindings).map(([keys, commands]) => {
      const onPress = (event: KeyboardEvent) => {
        handle = listen()
        const command = commands.findLast(({ id }) => isHandled(id))
        if (command === undefined || isTakenByPage(event, keys)) return
        event.preventDefault()
        if (event.repeat && command.actsOnce) return
        run(command.id)
      }
      return [keys, onPress] as const
    })
    // tinykeys tells only the keys that match of a press, so `g j` would still wait for its end after `g l`. Once keys match,
    // a new handler takes over, which waits for nothing.
    const listen = () => createKeybindingsHandler(Object.fromEntries(listeners), { ignore: () => false })
    let handle = listen()
    const onKey = (event: KeyboardEvent) => handle(event)
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [bindings, run, isHandled])

  const keys = useMemo(() => ({ bindings, register, isHandled, run }), [bindings, register, isHandled, run])
  return <KeyContext value={keys}>{children}</KeyContext>
}

/** Text, menus and dialogs get their own keys; so does a focused button or link get Enter. */
function isTakenByPage(event: KeyboardEvent, keys: string): boolean {
  if (event.defaultPrevented) return true
  const target = event.target instanceof Element ? event.target : null
  if (target === null) return false
  const isAlone = isSingleKey(keys) || ['Enter', 'Escape', 'ArrowUp', 'ArrowDown'].includes(keys)
  if (!isAlone) return false
  if (keys === 'Enter' && target.closest('a, button, summary, [role="tab"], [role="switch"]')) return true
  return (
    target.closest(
      'input, textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"], [role="dialog"][aria-modal="true"]',
    ) !== null
  )
}
