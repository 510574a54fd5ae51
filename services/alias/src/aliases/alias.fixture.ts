import { AliasSettings } from '@ratchet/contracts/aliases'
import { type ArmCounts, noGrades, noScores, noTraffic } from '../gate/arm-counts.ts'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { StoredAlias } from './alias.ts'
import { noGate } from './change-alias.ts'

export const workspaceId = '00000000-0000-7000-8000-0000000000aa'
export const userId = '00000000-0000-7000-8000-0000000000bb'
export const criterionId = 'crit_00000000000070008000000000000001'

/** Settings of an alias with a canary of 10 % that a gate watches. */
export function settingsWith(more: Partial<AliasSettings> = {}): AliasSettings {
  return AliasSettings.parse({
    name: 'support',
    target_model: 'sim/large',
    canary_model: 'sim/small',
    canary_percent: 10,
    gate_criterion_id: criterionId,
    gate_mode: 'recommend',
    ...more,
  })
}

/** A trustworthy judge with 3 % errors in both classes. */
export function judgeWith(more: Partial<GateJudge> = {}): GateJudge {
  return {
    criterionId,
    unit: 'request',
    instrument: 1,
    trust: 'trustworthy',
    cannotActReason: null,
    tpr: 0.97,
    tnr: 0.97,
    isFlagged: false,
    hasDrifted: false,
    isOverCap: false,
    isRetired: false,
    isAway: false,
    percent: 100,
    verdictCost: { usd: 0.002, from: 'verdicts' },
    population: '',
    populationFamily: '',
    ...more,
  }
}

export function storedAlias(more: Partial<StoredAlias> = {}): StoredAlias {
  const at = new Date('2026-11-22T10:00:00Z')
  return {
    id: '00000000-0000-7000-8000-0000000000a1',
    workspaceId,
    settings: settingsWith(),
    gate: { ...noGate, state: 'collecting', judge: judgeWith() },
    epoch: { number: 1, startedAt: at },
    cursorLogId: null,
    version: 1,
    createdBy: userId,
    createdAt: at,
    updatedAt: at,
    updatedBy: userId,
    ...more,
  }
}

/** An arm with these counts and zeros for the others. */
export function armWith(more: Partial<ArmCounts> = {}): ArmCounts {
  return { model: 'sim/large', ...noTraffic, ...noScores, ...noGrades, ...more }
}
