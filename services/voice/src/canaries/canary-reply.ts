import { publicId } from '@ratchet/contracts/public-id'
import type { AgentCanary, CanaryArm } from '@ratchet/contracts/voice/canaries'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { ArmOfCalls, CanaryCounts, StoredCanary } from './canary.ts'

/** @param counts of now; a split that its gate ended is shown as it was then */
export function canaryReply(canary: StoredCanary, counts: CanaryCounts): AgentCanary {
  const { settings, finding, startedAt, decidedAt, targetVersion } = canary
  const arms = decidedAt === null ? counts : (finding?.arms ?? counts)
  return {
    object: 'agent.canary',
    agent_id: publicId('agent', canary.agentId),
    ...settings,
    gate_criterion_id: publicId('criterion', settings.gate_criterion_id),
    target_version: targetVersion,
    ...stateOf(canary),
    arms: { target: armReply(targetVersion, arms.target), canary: armReply(settings.version, arms.canary) },
    trust: finding?.trust ?? null,
    youden: finding?.youden ?? null,
    difference: finding?.difference ?? null,
    graded_difference: finding?.graded_difference ?? null,
    srm_p: finding?.srm_p ?? null,
    guard: finding?.guard ?? [],
    epoch: canary.epoch,
    looks: canary.looks,
    started_at: startedAt.toISOString(),
    ends_at: new Date(startedAt.getTime() + settings.gate_window_hours * hourMs).toISOString(),
    looked_at: canary.lookedAt?.toISOString() ?? null,
    decided_at: decidedAt?.toISOString() ?? null,
  }
}

function stateOf({ settings, finding, decidedAt }: StoredCanary): Pick<AgentCanary, 'state' | 'reason'> {
  if (settings.percent === 0 && decidedAt === null) return { state: 'paused', reason: 'No call gets the version.' }
  if (finding === null) return { state: 'collecting', reason: 'The gate was not evaluated yet.' }
  return { state: finding.state, reason: finding.reason }
}

function armReply(version: number, arm: ArmOfCalls): CanaryArm {
  const { assigned, short, scored, fails, open, unjudged, graded } = arm
  const pass_rate = scored === 0 ? null : 1 - fails / scored
  return { version, calls: assigned, short, scored, fails, open, unjudged, graded, pass_rate }
}
