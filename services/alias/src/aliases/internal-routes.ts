import { aliasesOfCriterion, aliasProgress, reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { weighSplit as weighEndpoint } from '@ratchet/contracts/internal-split'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { GateRules } from '../gate/gate-timing.ts'
import type { TrafficStore } from '../gate/pg-traffic.ts'
import { judgesRuns } from '../gate/run-rules.ts'
import { weighSplit } from '../gate/weigh-split.ts'
import type { AliasStore } from './pg-aliases.ts'
import { type FindJudge, readJudge } from './require-judge.ts'

export interface InternalRouteDeps {
  readonly aliases: Pick<AliasStore, 'count' | 'namesOfCriterion'>
  readonly traffic: Pick<TrafficStore, 'count'>
  readonly findJudge: FindJudge
  readonly rules: GateRules
  readonly now: () => Date
}

/** Endpoints for other services. The edge does not forward to them. */
export function internalRoutes(router: Router, deps: InternalRouteDeps): void {
  const { aliases, traffic, now } = deps
  mountJson(router, reportAliasTraffic, async ({ body }) => ({ reply: { counted: await traffic.count(body, now()) } }))
  mount(router, aliasesOfCriterion, async ({ query, identity }) => ({
    aliases: [...(await aliases.namesOfCriterion(identity.workspaceId, query.criterion_id))],
  }))
  mount(router, aliasProgress, async ({ identity }) => ({ aliases: await aliases.count(identity.workspaceId) }))
  weighRoute(router, deps)
}

function weighRoute(router: Router, { findJudge, rules }: InternalRouteDeps): void {
  mountJson(router, weighEndpoint, async ({ body, identity }) => {
    const judge = await readJudge(findJudge, identity, body.criterion_id)
    if (judge !== null && !judgesRuns(judge)) {
      throw new ServiceError('unsupported_unit', 'This criterion judges single answers.', { param: 'criterion_id' })
    }
    return { reply: weighSplit(body, { judge, rules }) }
  })
}
