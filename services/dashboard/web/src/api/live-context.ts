import { createContext, useContext } from 'react'
import type { LiveMode } from './live-mode.ts'

export interface Live {
  readonly mode: LiveMode
  /** Since when the mode is the present one, as milliseconds of the epoch. */
  readonly sinceMs: number
  /** How often to read again what should be live; false while messages arrive. */
  readonly pollMs: number | false
}

/** Outside of workspaces nothing is live, and nothing is polled. */
export const LiveContext = createContext<Live>({ mode: 'live', sinceMs: 0, pollMs: false })

export function useLive(): Live {
  return useContext(LiveContext)
}
