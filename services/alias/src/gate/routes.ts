import { getAliasGate } from '@ratchet/contracts/alias-gate'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { AliasStore } from '../aliases/pg-aliases.ts'
import { requireAlias } from '../aliases/save-alias.ts'
import { gateReply } from './gate-reply.ts'
import type { CanaryStore } from './pg-canary.ts'

export interface GateRouteDeps {
  readonly aliases: Pick<AliasStore, 'get'>
  readonly canary: Pick<CanaryStore, 'counts'>
  readonly now: () => Date
}

/** A split that a gate ended is shown as it was then. */
export function gateRoutes(router: Router, { aliases, canary, now }: GateRouteDeps): void {
  mount(router, getAliasGate, async ({ params, identity }) => {
    const alias = await requireAlias(aliases, identity, params.name)
    const counts = await canary.counts(alias, now())
    const live = gateReply({ alias, ...counts })
    // The shadow model continues after the end of a split, so its counts are current.
    return alias.gate.verdict === null ? live : { ...alias.gate.verdict, shadow: live.shadow }
  })
}
