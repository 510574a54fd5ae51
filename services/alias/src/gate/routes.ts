import { getAliasGate } from '@ratchet/contracts/alias-gate'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import type { AliasStore } from '../aliases/alias.ts'
import { requireAlias } from '../aliases/require-alias.ts'
import type { CanaryStore } from './canary-store.ts'
import { gateReply } from './gate-reply.ts'

export interface GateRouteDeps {
  readonly aliases: Pick<AliasStore, 'get'>
  readonly canary: Pick<CanaryStore, 'counts'>
  readonly now: () => Date
}

/** What the gate of an alias sees. A split that it ended is shown as it was when it ended. */
export function gateRoutes(router: Router, { aliases, canary, now }: GateRouteDeps): void {
  mount(router, getAliasGate, async ({ params, identity }) => {
    const alias = await requireAlias(aliases, identity, params.name)
    const counts = await canary.counts(alias, now())
    const live = gateReply({ alias, ...counts })
    // A mirror goes on whatever became of a split.
    return alias.gate.verdict === null ? live : { ...alias.gate.verdict, shadow: live.shadow }
  })
}
