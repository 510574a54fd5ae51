import { type Endpoint, type EndpointCaller, endpointCallers } from './endpoint.ts'
import type { Purpose } from './identity.ts'

/** Every process that signs identities. A worker signs as its service. */
export const callerNames = ['edge', ...endpointCallers] as const
export type CallerName = (typeof callerNames)[number]

/** What an endpoint says about its callers. */
export type CallerRule = Pick<Endpoint, 'audience' | 'callers' | 'needsPurpose'>

/** The purposes for which a service calls models. The edge and the dashboard state none, because they call for users. */
export const purposesOf: Readonly<Record<EndpointCaller, readonly Purpose[]>> = {
  inference: [],
  logging: [],
  judging: ['judge', 'assist'],
  eval: ['eval', 'judge'],
  alias: ['shadow'],
  training: ['grpo', 'raft', 'distill'],
  dashboard: [],
}

/** Whether a caller may call an endpoint with this purpose, or without one. */
export function mayCall(caller: CallerName, rule: CallerRule, purpose: Purpose | undefined): boolean {
  if (caller === 'edge') return rule.audience !== 'internal' && purpose === undefined
  if (!rule.callers.includes(caller)) return false
  return purpose === undefined ? !rule.needsPurpose : purposesOf[caller].includes(purpose)
}
