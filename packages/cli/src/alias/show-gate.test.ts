import { gateStates } from '@ratchet/contracts/aliases'
import { ioFor, type Ran, runAliasCommand } from '../api/run-against.fixture.ts'
import { refusal, type Scripted, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { armWith, gateWith, planWith } from './aliases.fixture.ts'

const one = 'GET /v1/aliases/support/gate'
let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

async function gate(flags: string, ...script: Scripted[]): Promise<Ran> {
  api.answers(one, ...script)
  return runAliasCommand(ioFor(api), `gate support ${flags}`.trim())
}

const good = ['collecting', 'healthy', 'promote_ready', 'promoted']

it.each(gateStates)('exits with 0 for a good state and 1 for a bad one: %s', async (state) => {
  const answer = { body: gateWith({ state }) }
  const code = good.includes(state) ? 0 : 1
  expect((await gate('', answer)).code).toBe(code)
  expect((await gate('--json', answer)).code).toBe(code)
})

it.each<[number, string, Scripted]>([
  [3, 'there is no such alias', refusal(404, { message: 'There is no such alias.', code: 'not_found' })],
  [3, 'the key is not valid', refusal(401, { message: 'The API key is not valid.', code: 'invalid_api_key' })],
  [3, 'the API fails', { status: 500, body: '<html>' }],
  [3, 'the answer does not match the contract', { body: { object: 'list' } }],
  [3, 'the API is unavailable', { status: 503, body: '' }],
  [3, 'the connection breaks', 'hang up'],
])('exits with %d, which is not a decision, when %s', async (code, _, answer) => {
  expect(await gate('', answer)).toMatchObject({ code, out: '', err: expect.stringContaining('error: ') })
})

it('exits with 2 for wrong usage', async () => {
  expect((await gate('--wach')).code).toBe(2)
  expect((await runAliasCommand(ioFor(api), 'gate')).code).toBe(2)
})

it('draws both arms, their difference and the margin', async () => {
  const guard = [
    { name: 'cost_ratio' as const, limit: 1, estimate: 0.25, cs: [0.2, 0.31234] as [number, number], breached: false },
    { name: 'latency_ratio' as const, limit: 1.5, estimate: 2, cs: [1.6, 2.5] as [number, number], breached: true },
    { name: 'error_rate_increase' as const, limit: 0.01, estimate: null, cs: null, breached: false },
  ]
  expect((await gate('', { body: gateWith({ guard, reason: 'Wait.\u001b[2J' }) })).out).toBe(
    [
      'support: collecting (recommend)',
      'Wait. [2J',
      'judged by crit_019aa5f08a0770008000000000000001, trustworthy, TPR + TNR - 1 = 0.800',
      'split since 2026-11-21T12:00:00.000Z, until 2026-11-24T12:00:00.000Z at most',
      '4 evaluations, the last at 2026-11-21T12:30:00.000Z',
      '',
      'ARM     MODEL      SERVED  ERRORS  SCORED  FAILS  CORRECTED  LATENCY      COST AVG',
      'target  sim/large  890     2       200     20     92.5 %     p95 1234 ms  $0.0021',
      'canary  sim/small  99      2       100     12     90.0 %     p95 1234 ms  $0.0021',
      '',
      'JUDGED PASS RATE',
      'target            0                     │           ├───●─┤   1  90.0 % (80.0 to 95.0)',
      'canary            0                     │         ├────●──┤   1  88.0 % (75.0 to 95.0)',
      '',
      'CANARY - TARGET, bars at -5.0 and 0',
      '-0.2         ├──────┼──●─┼──────┤              0.2  -2.5 (-12.0 to +7.0); -5.0 is tolerated',
      '',
      '   GUARD                ALLOWED  OBSERVED      INTERVAL',
      '✓  cost_ratio           <= 1     0.25          0.2 to 0.3123',
      '✗  latency_ratio        <= 1.5   2             1.6 to 2.5',
      '✓  error_rate_increase  <= 0.01  not measured  -',
      '',
    ].join('\n'),
  )
})

it.each([
  [{ difference: null }, 'unknown; -5.0 is tolerated'],
  [{ mode: null, criterion_id: null, reason: '' }, 'support: collecting (no gate)\nsplit since'],
  [
    { graded_difference: { estimate: -0.01, cs: [-0.04, 0.02] } },
    'CANARY - TARGET BY GRADES\n-1.0 (-4.0 to +2.0); 0 and',
  ],
  [{ plan: planWith() }, 'grades of drawn answers: target 100 (100 missing), canary 240 (228 missing)'],
  [{ plan: planWith() }, 'time: 21.3 h at 250 judged answers an hour, until 2026-11-22T09:20:00.000Z\n'],
  [{ plan: planWith({ unit: 'trace' }) }, 'time: 21.3 h at 250 judged runs an hour'],
  [
    { unit: 'trace', arms: { target: armWith({ unfinished: 4 }), canary: armWith({ assisted: 7, mixed: 2 }) } },
    /RUNS +NOT COMPLETED +ASSISTED +BEFORE THE SPLIT\ntarget +4 +0 +0\ncanary +0 +7 +2/,
  ],
  [{ plan: planWith({ fits_window: false }) }, 'the window of the gate ends before'],
  [{ plan: planWith({ hours: null, ready_at: null }) }, 'time: unknown, because there was no judged traffic'],
  [
    {
      segments: [
        {
          segment: 'seg_one',
          state: 'worse',
          error_share: 0.5,
          target: { scored: 100, fails: 10 },
          canary: { scored: 90, fails: 40 },
          difference: { estimate: -0.34, cs: [-0.5, -0.2] },
          e_value: 1e6,
          worse: true,
        },
      ],
    },
    /SEGMENT +STATE +TARGET +CANARY +DIFFERENCE\nseg_one +worse +90\/100 +50\/90 +-34\.0 \(-50\.0 to -20\.0\)/,
  ],
  [{ trust: null, youden: null }, 'judged by crit_019aa5f08a0770008000000000000001, unmeasured\n'],
  [{ srm_p: 0.0001 }, 'the arms are more uneven than chance explains: no decision is made'],
  [{ decided_at: '2026-11-21T13:00:00.000Z' }, ', decided at 2026-11-21T13:00:00.000Z'],
  [{ arms: { target: armWith({ raw_pass_rate: null, cs: null }), canary: null } }, /no answers were judged\n$/],
  [{ difference: { estimate: 0.7, ci: [0.6, 0.8], cs: [0.55, 0.9] } }, /^-1 .+ 1 {2}\+70\.0 \(\+55\.0 to \+90\.0\)/m],
  [
    { margin: 0.001, difference: { estimate: 0, ci: [0, 0], cs: [-0.01, 0.01] } },
    /^-0\.1 .+ 0\.1 {2}0\.0 \(-1\.0 to \+1\.0\)/m,
  ],
  [
    {
      shadow: {
        model: 'sim/tiny',
        mirrored: 50,
        errors: 1,
        scored: 40,
        fails: 4,
        raw_pass_rate: 0.9,
        pass_rate: null,
        ci: [0.77, 0.96],
        avg_latency_ms: 300,
        avg_cost_usd: null,
      },
    },
    /shadow {2}sim\/tiny {3}50 {6}1 {7}40 {6}4 {6}- {10}avg 300 ms {3}-\n[\s\S]+shadow .+ 90\.0 % \(77\.0 to 96\.0\)/,
  ],
] as const)('prints %j', async (changes, says) => {
  const { out } = await gate('', { body: gateWith(changes as object) })
  if (typeof says === 'string') expect(out).toContain(says)
  else expect(out).toMatch(says)
})

it('prints the answer of the API as JSON', async () => {
  const newer = { ...gateWith(), mood: 'sunny' }
  expect(JSON.parse((await gate('--json', { body: newer })).out)).toEqual(newer)
})

describe('alias gate --watch', () => {
  const at = (looks: number): Scripted => ({ body: gateWith({ looks, state: looks < 3 ? 'collecting' : 'healthy' }) })

  it('repeats until the gate has decided, and prints the decision', async () => {
    const { code, out, err, io } = await gate('--watch', at(1), at(2), at(3), {
      body: gateWith({ state: 'promote_ready' }),
    })
    expect([code, out.split('\n')[0], io.slept()]).toEqual([
      0,
      'support: promote_ready (recommend)',
      [1_000, 1_000, 1_000],
    ])
    expect(err).toBe(
      [
        'support: collecting, judged 200 and 100, difference -2.5 points, 1 evaluations',
        'support: promote_ready, judged 200 and 100, difference -2.5 points, 4 evaluations',
        '',
      ].join('\n'),
    )
  })

  it('overwrites one line of a terminal', async () => {
    api.answers(one, at(1), { body: gateWith({ state: 'rolled_back', difference: null }) })
    const { code, err } = await runAliasCommand(ioFor(api, 60), 'gate support --watch')
    expect([code, err.split('\r\u001b[2K')]).toEqual([
      1,
      [
        '',
        'support: collecting, judged 200 and 100, difference -2.5 poi',
        'support: rolled_back, judged 200 and 100, 4 evaluations\n',
      ].map((line) => line.replace('poi', 'po')),
    ])
  })

  it('does not wait where there is no gate', async () => {
    expect((await gate('--watch', { body: gateWith({ mode: null }) })).io.slept()).toEqual([])
  })

  it('stops on Ctrl-C without a decision, and the gate continues', async () => {
    const io = ioFor(api)
    api.answers(one, at(1))
    api.onRequest(() => {
      if (api.seen.length === 3) io.interrupt()
    })
    const { code, out, err } = await runAliasCommand(io, 'gate support --watch')
    expect([code, out]).toEqual([3, ''])
    expect(err).toMatch(/Interrupted\. The gate continues; `ratchet alias gate support --watch` shows it again\.\n$/)
  })
})

describe('alias plan', () => {
  const plan = (flags: string, body: object = { object: 'alias.gate_plan', alias: 'support', plan: planWith() }) => {
    api.answers(`${one}/plan`, { body })
    return runAliasCommand(ioFor(api), `plan support ${flags}`.trim())
  }

  it('shows what a gate needs before it starts', async () => {
    const { code, out } = await plan('')
    expect(code).toBe(0)
    expect(out).toContain('judged answers: target 5000 (4800 missing), canary 600 (500 missing)')
  })

  it.each([
    [{}, 'cost: judging $10.6000 at $0.0020 a verdict, by recent verdicts'],
    [{ usd_per_verdict_from: 'list_price', mirroring_usd: 3 }, 'by the list price of its model; the shadow $3.0000'],
    [{ mirroring_usd: null }, '; the shadow not known yet'],
    [{ usd_per_verdict: null, usd_per_verdict_from: null, judging_usd: null }, 'cost: judging not known'],
  ] as const)('shows what the judge costs, of %j', async (more, text) => {
    const shown = planWith()
    const { out } = await plan('', {
      object: 'alias.gate_plan',
      alias: 'support',
      plan: { ...shown, cost: { ...shown.cost, ...more } },
    })
    expect(out).toContain(text)
  })

  it('counts runs for a judge of runs', async () => {
    const shown = { object: 'alias.gate_plan', alias: 'support', plan: planWith({ unit: 'trace' }) }
    const { out } = await plan('', shown)
    expect(out).toContain('judged runs: target 5000 (4800 missing), canary 600 (500 missing)')
    expect(out).toContain('grades of drawn runs: target 100')
  })

  it('sends the settings that are given', async () => {
    await plan('--percent 5 --rollback-threshold 0.03 --fail-rate 0.2')
    expect(api.seen.map(({ line }) => line)).toEqual([
      `${one}/plan?canary_percent=5&gate_rollback_threshold=0.03&fail_rate=0.2`,
    ])
  })
})
