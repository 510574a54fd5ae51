import { type ReactNode, useSyncExternalStore } from 'react'
import styles from './toast.module.css'

interface Toast {
  readonly id: number
  readonly text: string
}

let shown: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()
const shownMs = 5_000
const maxShown = 3

function replace(next: readonly Toast[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Says for some seconds that something was done. What went wrong is said where it happened, and stays. */
export function toast(text: string): void {
  lastId += 1
  const id = lastId
  replace([...shown, { id, text }].slice(-maxShown))
  setTimeout(() => replace(shown.filter((each) => each.id !== id)), shownMs)
}

/** Where they appear; screen readers say them. */
export function Toasts(): ReactNode {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return (
    <div className={styles.toasts} role="status">
      {toasts.map(({ id, text }) => (
        <div key={id} className={styles.toast}>
          {text}
        </div>
      ))}
    </div>
  )
}
