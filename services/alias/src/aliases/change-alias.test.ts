import type { AliasSettings } from '@ratchet/contracts/aliases'
import { firstUuidV7At } from '@ratchet/service-kit/values/ids'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { judgeWith, settingsWith, storedAlias, userId, workspaceId } from './alias.fixture.ts'
import type { Actor, StoredAlias } from './alias.ts'
import { changeAlias, noGate, rolledBack } from './change-alias.ts'

const at = new Date('2026-11-22T12:00:00Z')
const user: Actor = { type: 'user', userId, keyId: userId, requestId: 'r1' }

function change(current: StoredAlias | null, settings: AliasSettings, actor = user) {
  return changeAlias({
    current,
    settings,
    actor,
    workspaceId,
    at,
    evidence: null,
    reason: null,
    judge: judgeWith(),
    newId: countingUuids(),
    firstIdAt: (moment) => firstUuidV7At(moment.getTime()),
  })
}

const plain = settingsWith({ canary_model: null, canary_percent: 0, gate_mode: null, gate_criterion_id: null })
const gated = storedAlias({ cursorLogId: 'there', gate: { ...noGate, state: 'healthy', evaluations: 7 } })

it('starts a new alias with epoch 1, and the search of the log after the change is propagated', () => {
  const made = change(null, settingsWith())
  expect(made).toMatchObject({
    replaces: null,
    resets: true,
    event: { kind: 'created', before: null, after: settingsWith(), actor: user },
    alias: { version: 1, epoch: { number: 1, startedAt: at }, gate: { state: 'collecting' }, updatedBy: userId },
  })
  expect(made?.alias.cursorLogId).toBe(firstUuidV7At(at.getTime() + 3_000))
  expect(change(null, plain)?.alias).toMatchObject({ gate: { state: null }, cursorLogId: null })
})

it('makes no change when all settings are the same', () => {
  expect(change(gated, settingsWith())).toBeNull()
})

it.each<[string, Partial<AliasSettings>, string]>([
  ['the target', { target_model: 'sim/medium' }, 'repoint'],
  ['the canary', { canary_model: 'sim/medium' }, 'canary_set'],
  ['the share', { canary_percent: 20 }, 'canary_set'],
  ['the judge', { gate_criterion_id: 'crit_00000000000070008000000000000002' }, 'canary_set'],
  ['the stickiness', { sticky_by: 'trace' }, 'canary_set'],
])('starts a new epoch when %s changes', (_case, more, kind) => {
  const made = change(gated, settingsWith(more))
  expect(made).toMatchObject({ resets: true, replaces: { version: 1, epoch: 1 }, event: { kind } })
  expect(made?.alias).toMatchObject({ version: 2, epoch: { number: 2, startedAt: at }, gate: { evaluations: 0 } })
  expect(made?.alias.cursorLogId).not.toBe('there')
})

it.each<[string, Partial<AliasSettings>, string]>([
  ['the description', { description: 'Ours.' }, 'update'],
  ['the policy', { require_evidence: true }, 'update'],
  ['the threshold', { gate_rollback_threshold: 0.1 }, 'canary_set'],
  [
    'the guard',
    { gate_guard: { max_error_rate_increase: 0.1, max_latency_ratio: null, max_cost_ratio: null } },
    'canary_set',
  ],
  ['the mode', { gate_mode: 'auto' }, 'canary_set'],
  ['the mirror', { shadow_model: 'sim/medium', shadow_percent: 5 }, 'canary_set'],
])('keeps epoch and counts when %s changes', (_case, more, kind) => {
  const made = change(gated, settingsWith(more))
  expect(made).toMatchObject({ resets: false, event: { kind } })
  expect(made?.alias).toMatchObject({
    epoch: gated.epoch,
    cursorLogId: 'there',
    gate: { state: 'healthy', evaluations: 7 },
  })
})

it.each(['promote_ready', 'rollback_recommended'] as const)(
  'takes %s back when the rules of the gate change',
  (state) => {
    const decided = storedAlias({ cursorLogId: 'there', gate: { ...noGate, state, evaluations: 7, decidedAt: at } })
    const changed = change(decided, settingsWith({ gate_rollback_threshold: 0.01 }))
    expect(changed?.alias.gate).toMatchObject({ state: 'collecting', decidedAt: null, evaluations: 7 })
    const described = change(decided, settingsWith({ description: 'The same gate.' }))
    expect(described?.alias.gate).toMatchObject({ state, decidedAt: at })
  },
)

it('starts with the current traffic when a gate or a shadow model is set', () => {
  const idle = storedAlias({ settings: settingsWith({ gate_mode: null }), cursorLogId: 'long-ago', gate: noGate })
  expect(change(idle, settingsWith())).toMatchObject({ resets: true, alias: { gate: { state: 'collecting' } } })
  const mirrored = change(storedAlias({ settings: plain }), { ...plain, shadow_model: 'sim/small', shadow_percent: 5 })
  expect(mirrored?.resets).toBe(false)
  expect(mirrored?.alias.cursorLogId).toBe(firstUuidV7At(at.getTime() + 3_000))
})

it.each([
  [0, 'rolled_back'],
  [100, 'promoted'],
])('ends the gate when a user sets the canary to %d %%: %s', (percent, state) => {
  expect(change(gated, settingsWith({ canary_percent: percent }))?.alias.gate).toMatchObject({ state, decidedAt: at })
})

it('records a rollback when a user takes a promotion back', () => {
  const settings = settingsWith({ canary_percent: 100 })
  const promoted = storedAlias({ settings, gate: { ...noGate, state: 'promoted' } })
  expect(change(promoted, rolledBack(settings))?.alias.gate).toMatchObject({ state: 'rolled_back', verdict: null })
})

it('clears the gate record when the canary is replaced, or the gate removed', () => {
  const other = settingsWith({ canary_model: 'sim/medium', canary_percent: 0 })
  expect(change(gated, other)?.alias.gate.state).toBeNull()
  expect(change(gated, plain)?.alias.gate.state).toBeNull()
})

it('refuses a new alias that no user creates', () => {
  expect(() => change(null, settingsWith(), { type: 'gate' })).toThrow(RangeError)
  expect(change(null, settingsWith())?.alias.createdBy).toBe(userId)
})

it('names the gate as the actor of its change', () => {
  expect(change(gated, settingsWith({ canary_percent: 0 }), { type: 'gate' })?.alias.updatedBy).toBe('gate')
})

it('a rollback changes a split and a canary of 100 %, and nothing else', () => {
  expect(rolledBack(settingsWith()).canary_percent).toBe(0)
  expect(rolledBack(settingsWith({ canary_percent: 100 })).canary_percent).toBe(0)
  expect(rolledBack(plain)).toBe(plain)
})
