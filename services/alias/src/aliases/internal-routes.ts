import { aliasesOfCriterion, aliasProgress, reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { Router } from 'express'
import type { TrafficStore } from '../gate/pg-traffic.ts'
import type { AliasStore } from './pg-aliases.ts'

export interface InternalRouteDeps {
  readonly aliases: Pick<AliasStore, 'count' | 'namesOfCriterion'>
  readonly traffic: Pick<TrafficStore, 'count'>
  readonly now: () => Date
}

/** Endpoints for other services. The edge does not forward to them. */
export function internalRoutes(router: Router, { aliases, traffic, now }: InternalRouteDeps): void {
  mountJson(router, reportAliasTraffic, async ({ body }) => ({ reply: { counted: await traffic.count(body, now()) } }))
  mount(router, aliasesOfCriterion, async ({ query, identity }) => ({
    aliases: [...(await aliases.namesOfCriterion(identity.workspaceId, query.criterion_id))],
  }))
  mount(router, aliasProgress, async ({ identity }) => ({ aliases: await aliases.count(identity.workspaceId) }))
}
