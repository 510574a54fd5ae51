import { aliasesOfCriterion, aliasProgress, reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { mount } from '@ratchet/service-kit/mount'
import { mountJson } from '@ratchet/service-kit/mount-json'
import type { Router } from 'express'
import type { TrafficStore } from '../gate/traffic.ts'
import type { AliasStore } from './alias.ts'

export interface InternalRouteDeps {
  readonly aliases: Pick<AliasStore, 'count' | 'namesOfCriterion'>
  readonly traffic: Pick<TrafficStore, 'count'>
  readonly now: () => Date
}

/** A thousand arms with all of their buckets. */
const maxBodyBytes = 16 * 1024 * 1024

/** What the fleet tells of aliases and asks of them; the edge has no way to it. */
export function internalRoutes(router: Router, { aliases, traffic, now }: InternalRouteDeps): void {
  mountJson(router, reportAliasTraffic, {
    maxBodyBytes,
    handle: async ({ body }) => ({ reply: { counted: await traffic.count(body, now()) } }),
  })
  mount(router, aliasesOfCriterion, async ({ query, identity }) => ({
    aliases: [...(await aliases.namesOfCriterion(identity.workspaceId, query.criterion_id))],
  }))
  mount(router, aliasProgress, async ({ identity }) => ({ aliases: await aliases.count(identity.workspaceId) }))
}
