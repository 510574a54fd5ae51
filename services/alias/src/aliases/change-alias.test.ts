import type { AliasSettings } from '@ratchet/contracts/aliases'
import { firstUuidV7At } from '@ratchet/service-kit/ids'
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

it('begins the first epoch with a new alias, and the log where every process routes as it is written', () => {
  const made = change(null, settingsWith())
  expect(made).toMatchObject({
    replaces: null,
    resets: true,
    event: { kind: 'repoint', before: null, after: settingsWith(), actor: user },
    alias: { version: 1, epoch: { number: 1, startedAt: at }, gate: { state: 'collecting' }, updatedBy: userId },
  })
  expect(made?.alias.cursorLogId).toBe(firstUuidV7At(at.getTime() + 3_000))
  expect(change(null, plain)?.alias).toMatchObject({ gate: { state: null }, cursorLogId: null })
})

it('is no change when nothing is another', () => {
  expect(change(gated, settingsWith())).toBeNull()
})

it.each<[string, Partial<AliasSettings>, string]>([
  ['the target', { target_model: 'sim/medium' }, 'repoint'],
  ['the canary', { canary_model: 'sim/medium' }, 'canary_set'],
  ['the share', { canary_percent: 20 }, 'canary_set'],
  ['the judge', { gate_criterion_id: 'crit_00000000000070008000000000000002' }, 'canary_set'],
  ['the stickiness', { sticky_by: 'trace' }, 'canary_set'],
])('begins another epoch, and counts anew, when %s changes', (_case, more, kind) => {
  const made = change(gated, settingsWith(more))
  expect(made).toMatchObject({ resets: true, replaces: { version: 1, epoch: 1 }, event: { kind } })
  expect(made?.alias).toMatchObject({ version: 2, epoch: { number: 2, startedAt: at }, gate: { evaluations: 0 } })
  expect(made?.alias.cursorLogId).not.toBe('there')
})

it.each<[string, Partial<AliasSettings>, string]>([
  ['the description', { description: 'Ours.' }, 'update'],
  ['the policy', { require_evidence: true }, 'update'],
  ['what is tolerated', { gate_rollback_threshold: 0.1 }, 'canary_set'],
  [
    'the guard',
    { gate_guard: { max_error_rate_increase: 0.1, max_latency_ratio: null, max_cost_ratio: null } },
    'canary_set',
  ],
  ['the mode', { gate_mode: 'auto' }, 'canary_set'],
  ['the mirror', { shadow_model: 'sim/medium', shadow_percent: 5 }, 'canary_set'],
])('goes on with what it has counted when %s changes', (_case, more, kind) => {
  const made = change(gated, settingsWith(more))
  expect(made).toMatchObject({ resets: false, event: { kind } })
  expect(made?.alias).toMatchObject({
    epoch: gated.epoch,
    cursorLogId: 'there',
    gate: { state: 'healthy', evaluations: 7 },
  })
})

it('begins with the traffic of now when a gate, or a mirror, is set where none was', () => {
  const idle = storedAlias({ settings: settingsWith({ gate_mode: null }), cursorLogId: 'long-ago', gate: noGate })
  expect(change(idle, settingsWith())).toMatchObject({ resets: true, alias: { gate: { state: 'collecting' } } })
  const mirrored = change(storedAlias({ settings: plain }), { ...plain, shadow_model: 'sim/small', shadow_percent: 5 })
  expect(mirrored?.resets).toBe(false)
  expect(mirrored?.alias.cursorLogId).toBe(firstUuidV7At(at.getTime() + 3_000))
})

it.each([
  [0, 'rolled_back'],
  [100, 'promoted'],
])('is over when somebody sets the canary to %d %%: %s', (percent, state) => {
  expect(change(gated, settingsWith({ canary_percent: percent }))?.alias.gate).toMatchObject({ state, decidedAt: at })
})

it('is rolled back when somebody takes a promotion back', () => {
  const settings = settingsWith({ canary_percent: 100 })
  const promoted = storedAlias({ settings, gate: { ...noGate, state: 'promoted' } })
  expect(change(promoted, rolledBack(settings))?.alias.gate).toMatchObject({ state: 'rolled_back', verdict: null })
})

it('is nothing any more when the canary is another, or the gate is taken away', () => {
  const other = settingsWith({ canary_model: 'sim/medium', canary_percent: 0 })
  expect(change(gated, other)?.alias.gate.state).toBeNull()
  expect(change(gated, plain)?.alias.gate.state).toBeNull()
})

it('says that the gate did what the gate did', () => {
  expect(change(gated, settingsWith({ canary_percent: 0 }), { type: 'gate' })?.alias.updatedBy).toBe('gate')
})

it('rolls back a split and a cutover, and nothing else', () => {
  expect(rolledBack(settingsWith()).canary_percent).toBe(0)
  expect(rolledBack(settingsWith({ canary_percent: 100 })).canary_percent).toBe(0)
  expect(rolledBack(plain)).toBe(plain)
})
