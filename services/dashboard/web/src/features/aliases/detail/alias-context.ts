import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { Alias } from '@ratchet/contracts/aliases'
import { createContext, useContext } from 'react'

interface OpenAlias {
  readonly alias: Alias
  readonly gate: AliasGate
  readonly reread: () => Promise<unknown>
}

/** The alias of the page with its gate, which the layout has read. */
export const AliasContext = createContext<OpenAlias | null>(null)

export function useOpenAlias(): OpenAlias {
  const open = useContext(AliasContext)
  if (open === null) throw new Error('This part belongs to the page of an alias.')
  return open
}
