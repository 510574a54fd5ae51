import { PutAlias } from '@ratchet/contracts/aliases'
import { ioFor, type Ran, runAliasCommand } from '../api/run-against.fixture.ts'
import { refusal, type Scripted, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { aliasWith, criterionId } from './aliases.fixture.ts'

const one = 'GET /v1/aliases/support'
const put = 'PUT /v1/aliases'
const none = refusal(404, { message: 'There is no such alias.', code: 'not_found', param: 'name' })
const ruled = [{ segment: 'seg_00000000000000b1', model: 'sim/large' }]
const split = aliasWith({
  family_rules: ruled,
  description: 'Helps.',
  canary_model: 'sim/small',
  canary_percent: 10,
  sticky_by: 'trace',
  gate_criterion_id: criterionId,
  gate_mode: 'auto',
  gate_state: 'collecting',
  require_evidence: true,
  gate_guard: { max_error_rate_increase: 0.01, max_latency_ratio: null, max_cost_ratio: 1 },
  shadow_model: 'sim/tiny',
  shadow_percent: 5,
})
let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

interface Around {
  readonly before?: Scripted
  readonly answer?: Scripted
}

async function set(flags: string | readonly string[], { before, answer }: Around = {}): Promise<Ran> {
  const words = typeof flags === 'string' ? flags.split(' ') : flags
  api.answers(one, before ?? { body: split })
  api.answers(put, answer ?? { body: aliasWith({ version: 4 }) })
  return runAliasCommand(ioFor(api), ['set', 'support', ...words])
}

/** The settings of the request, as the API parses them, that differ from those of the split alias. */
function sentChanges(from: object = split): unknown {
  const { force, reason, ...settings } = PutAlias.parse(api.seen.find(({ line }) => line === put)?.body)
  const was = from as Readonly<Record<string, unknown>>
  const entries = Object.entries(settings).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name]),
  )
  return { ...Object.fromEntries(entries), ...(force ? { force } : {}), ...(reason === null ? {} : { reason }) }
}

describe('alias set', () => {
  it.each<[string, object]>([
    ['--percent 25', { canary_percent: 25 }],
    ['--target sim/huge', { target_model: 'sim/huge' }],
    ['--canary sim/other --percent 0', { canary_model: 'sim/other', canary_percent: 0 }],
    ['--no-canary', { canary_model: null, canary_percent: 0 }],
    ['--no-shadow', { shadow_model: null, shadow_percent: 0 }],
    ['--no-gate', { gate_criterion_id: null, gate_mode: null, gate_guard: null }],
    ['--gate crit_2', { gate_criterion_id: 'crit_2' }],
    ['--gate-mode recommend', { gate_mode: 'recommend' }],
    ['--min-samples 250 --confidence 0.9', { gate_min_samples_per_arm: 250, gate_confidence: 0.9 }],
    ['--rollback-threshold 0.02 --window-hours 24', { gate_rollback_threshold: 0.02, gate_window_hours: 24 }],
    ['--sticky-by request', { sticky_by: 'request' }],
    ['--shadow sim/x --shadow-percent 50', { shadow_model: 'sim/x', shadow_percent: 50 }],
    ['--family none=sim/x', { family_rules: [...ruled, { segment: 'none', model: 'sim/x' }] }],
    ['--family seg_00000000000000b1=none --family *=split', { family_rules: [{ segment: '*', model: null }] }],
    ['--no-family', { family_rules: [] }],
    ['--no-require-evidence', { require_evidence: false }],
    [
      '--max-latency-ratio 1.5 --max-cost-ratio none',
      { gate_guard: { max_error_rate_increase: 0.01, max_latency_ratio: 1.5, max_cost_ratio: null } },
    ],
    ['--max-error-rate-increase none --max-cost-ratio none', { gate_guard: null }],
    ['--target sim/huge --force --reason hurry', { target_model: 'sim/huge', force: true, reason: 'hurry' }],
  ])('with %s changes this setting only', async (flags, changes) => {
    expect((await set(flags)).code).toBe(0)
    expect(sentChanges()).toEqual(changes)
  })

  it('sends the version that it read as If-Match, or that of --if-match', async () => {
    await set('--percent 25')
    await set('--percent 25 --if-match 2')
    expect(api.seen.filter(({ line }) => line === put).map(({ ifMatch }) => ifMatch)).toEqual(['3', '2'])
  })

  it('with --replace sends only the given settings, without If-Match', async () => {
    await set('--replace --target sim/huge --gate crit_2')
    const changes = { target_model: 'sim/huge', gate_criterion_id: 'crit_2', gate_mode: 'recommend' }
    expect(sentChanges(aliasWith())).toEqual(changes)
    expect(api.seen.at(-1)?.ifMatch).toBeUndefined()
  })

  it('creates a new alias, which requires a target', async () => {
    const made = { body: aliasWith({ version: 1, description: 'Helps.' }) }
    const { code, out } = await set('--target sim/large --description Helps.', { before: none, answer: made })
    expect([code, out]).toEqual([
      0,
      'created support (version 1)\n  target_model  - -> sim/large\n  description   - -> Helps.\n',
    ])
    expect(api.seen.at(-1)).toMatchObject({ ifMatch: undefined, ifNoneMatch: '*' })
    expect(await set('--percent 5', { before: none })).toMatchObject({
      code: 2,
      err: 'error: --target is required: the alias support does not exist\n',
    })
  })

  it('prints changed settings with both values', async () => {
    const guard = { max_error_rate_increase: null, max_latency_ratio: 1.5, max_cost_ratio: 1 }
    const after = { ...split, description: 'Helps\u001b[2J', canary_percent: 25, gate_guard: guard, version: 4 }
    expect((await set('--percent 25', { answer: { body: after } })).out).toBe(
      [
        'changed support (version 4)',
        '  description              Helps. -> Helps [2J',
        '  canary_percent           10     -> 25',
        '  max_error_rate_increase  0.01   -> -',
        '  max_latency_ratio        -      -> 1.5',
        '',
      ].join('\n'),
    )
    expect((await set('--percent 10', { answer: { body: split } })).out).toBe('unchanged: support (version 3)\n')
  })

  it('prints the alias as JSON, with fields that this release does not know', async () => {
    const newer = { ...split, mood: 'sunny' }
    expect(JSON.parse((await set('--percent 25 --json', { answer: { body: newer } })).out)).toEqual(newer)
  })

  it('names the other user after a version conflict, and what to do', async () => {
    const conflict = refusal(412, { message: 'It was changed.', code: 'version_conflict' })
    api.answers(one, { body: split }, { body: { ...split, version: 5, updated_by: 'usr_\u001bbob\nx' } })
    api.answers(put, conflict)
    expect(await runAliasCommand(ioFor(api), 'set support --percent 25')).toMatchObject({
      code: 1,
      out: '',
      err: 'error: support is no longer version 3: usr_ bob x changed it to 5 at 2026-11-21T13:00:00.000Z; nothing was changed; run the command again to change the new version\n',
    })
    expect((await set('--percent 25 --if-match 2', { answer: conflict })).err).toMatch(/then give --if-match 3\n$/)
    api.answers(one, { body: split }, none)
    expect((await runAliasCommand(ioFor(api), 'set support --percent 25')).err).toContain('was deleted since version 3')
  })

  it('recognizes its own change after a lost answer', async () => {
    const ours = { ...split, canary_percent: 25, version: 4 }
    api.answers(one, { body: split }, { body: ours })
    api.answers(put, 'hang up', refusal(412, { message: 'It was changed.', code: 'version_conflict' }))
    expect(await runAliasCommand(ioFor(api), 'set support --percent 25')).toMatchObject({
      code: 0,
      out: 'changed support (version 4)\n  canary_percent  10 -> 25\n',
    })
  })

  it.each(['precondition_failed', 'evidence_exhausted'])(
    'lists what evidence a refused repoint lacks: %s',
    async (reason) => {
      const missing = [
        { requirement: 'eval', detail: 'A DONE eval: there is none.\u001b[2J' },
        { requirement: 'force', detail: 'An owner may send it.' },
      ]
      const answer = refusal(412, { message: 'Not proven.', code: reason, details: { missing } })
      expect(await set('--target sim/huge', { answer })).toMatchObject({
        code: 1,
        out: [
          'not proven: Not proven.',
          'One of these is sufficient:',
          '  eval   A DONE eval: there is none. [2J',
          '  force  An owner may send it.',
          '',
        ].join('\n'),
      })
      const { code, out } = await set('--target sim/huge --json', { answer })
      expect([code, JSON.parse(out)]).toEqual([1, { applied: false, message: 'Not proven.', missing }])
      const vague = refusal(412, { message: 'Not proven.', code: reason })
      expect(await set('--target sim/huge', { answer: vague })).toMatchObject({
        code: 1,
        err: `error: Not proven. (${reason})\n`,
      })
    },
  )

  it.each([
    [2, [], 'nothing to change'],
    [2, ['--reason', 'x', '--force'], 'nothing to change'],
    [2, ['--replace', '--percent', '5'], '--target is required with --replace'],
    [2, ['--percent', '101'], "option '--percent <n>' argument '101' is invalid."],
    [2, ['--percent', 'many'], 'Expected a number.'],
    [2, ['--min-samples', '49'], "option '--min-samples <n>' argument '49' is invalid."],
    [2, ['--gate-mode', 'on'], "option '--gate-mode <mode>' argument 'on' is invalid."],
    [2, ['--family', 'none'], 'Expected a segment and a model'],
    [2, ['--family', 'support=sim/x'], 'This must be the id of a segment'],
    [2, ['--max-cost-ratio', '0'], "option '--max-cost-ratio <n>' argument '0' is invalid."],
    [2, ['--if-match', 'x'], 'Expected a version'],
    [2, ['--canray', 'x'], "unknown option '--canray'"],
  ])('exits with %d for wrong usage, without a request: %j', async (code, flags, message) => {
    const ran = await set(flags)
    expect([ran.code, ran.out, api.seen]).toEqual([code, '', []])
    expect(ran.err).toContain(message)
  })

  it('refuses a malformed name', async () => {
    const { code, err } = await runAliasCommand(ioFor(api), 'set ../models --target x')
    expect([code, err]).toEqual([2, expect.stringContaining('3 to 64 letters')])
  })

  it('prints an error of the API', async () => {
    const answer = refusal(400, { message: 'No such model.', code: 'unknown_model', param: 'canary_model' })
    expect(await set('--canary x', { answer })).toMatchObject({
      code: 1,
      err: 'error: No such model. (unknown_model, canary_model)\n',
    })
  })
})
