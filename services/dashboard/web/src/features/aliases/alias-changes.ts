import { getAliasGate } from '@ratchet/contracts/alias-gate'
import { getAlias, listAliasEvents, listAliases } from '@ratchet/contracts/aliases'
import { listAliasAudit, listGateLooks } from '@ratchet/contracts/session-aliases'

/** What a change of an alias changes on pages. */
export const aliasReads = [getAlias, listAliases, getAliasGate, listAliasEvents, listAliasAudit, listGateLooks] as const
