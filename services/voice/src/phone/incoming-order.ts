import { publicId } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { AgentStore } from '../agents/agent-store.ts'
import type { NewCall } from '../calls/call.ts'
import { callVariables } from '../calls/call-variables.ts'
import { chooseVersion } from '../calls/choose-version.ts'
import type { CanaryStore } from '../canaries/canary.ts'
import type { StoredNumber } from '../numbers/number.ts'

export interface IncomingDeps {
  readonly agents: AgentStore
  readonly canaries: Pick<CanaryStore, 'get'>
  readonly newId: () => string
  readonly now: () => Date
}

interface Incoming {
  readonly number: StoredNumber
  /** Null: the carrier states none. */
  readonly fromNumber: string | null
}

/** @returns null: no agent answers calls to the number, or not without what a caller cannot state */
export async function incomingOrder(
  { agents, canaries, newId, now }: IncomingDeps,
  { number, fromNumber }: Incoming,
): Promise<NewCall | null> {
  const { workspaceId, userId, agentId } = number
  if (agentId === null) return null
  const id = newId()
  const order = { agent_id: publicId('agent', agentId), caller: fromNumber ?? id }
  const version = await chooseVersion({ agents, canaries }, { workspaceId }, order).catch((error: unknown) => {
    if (error instanceof ServiceError && (error.code === 'not_found' || error.code === 'conflict')) return null
    throw error
  })
  if (version === null || version.spec.variables.some((each) => each.required && each.default === null)) return null
  return {
    workspaceId,
    id,
    userId,
    agentId: version.agent.id,
    agentVersion: version.agent.version,
    chosen: version.chosen,
    criterionIds: version.criterionIds,
    env: 'live',
    overrides: {},
    variables: callVariables(version.spec, {}).open,
    secretVariables: null,
    metadata: {},
    line: {
      type: 'phone',
      provider: number.provider,
      direction: 'inbound',
      numberId: number.id,
      toNumber: number.e164,
      fromNumber,
    },
    dueAt: null,
    retentionDays: version.spec.privacy.retention_days,
    at: now(),
  }
}
