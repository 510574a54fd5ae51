import type { AliasEvent } from '@ratchet/contracts/aliases'
import { AliasSettings } from '@ratchet/contracts/aliases'
import { ioFor, runAliasCommand } from '../api/run-against.fixture.ts'
import { refusal, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { aliasWith, criterionId } from './aliases.fixture.ts'

let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

function page(...data: object[]) {
  return { body: { object: 'list', data, total: data.length, limit: 50, offset: 0, has_more: false } }
}

describe('alias list', () => {
  it('prints a line for each row', async () => {
    const split = aliasWith({
      name: 'chat',
      canary_model: 'sim/small',
      canary_percent: 10,
      shadow_model: 'sim/tiny',
      shadow_percent: 5,
      gate_criterion_id: criterionId,
      gate_mode: 'auto',
      gate_state: 'healthy',
      updated_by: 'gate\u001b[2J',
    })
    api.answers('GET /v1/aliases', page(split, aliasWith()))
    expect((await runAliasCommand(ioFor(api), 'list --limit 2')).out).toBe(
      [
        'NAME     TARGET     CANARY          GATE           SHADOW        VERSION  CHANGED',
        'chat     sim/large  sim/small 10 %  auto: healthy  sim/tiny 5 %  3        2026-11-21T13:00:00.000Z by gate [2J',
        'support  sim/large  -               -              -             3        2026-11-21T13:00:00.000Z by usr_ann',
        '',
      ].join('\n'),
    )
    expect(api.seen[0]?.line).toBe('GET /v1/aliases?limit=2')
  })

  it('names the command that creates one when there are none', async () => {
    api.answers('GET /v1/aliases', page())
    expect((await runAliasCommand(ioFor(api), 'list')).out).toBe('no aliases; `ratchet alias set` creates one\n')
  })

  it('prints the answer of the API as JSON, and refuses a wrong --limit', async () => {
    api.answers('GET /v1/aliases', page({ ...aliasWith(), mood: 'sunny' }))
    expect(JSON.parse((await runAliasCommand(ioFor(api), 'list --json')).out).data[0].mood).toBe('sunny')
    expect((await runAliasCommand(ioFor(api), 'list --limit 0')).code).toBe(2)
  })
})

describe('alias events', () => {
  const settings = AliasSettings.parse(aliasWith())
  const event: AliasEvent = {
    object: 'alias.event',
    id: 'aev_1',
    alias: 'support',
    kind: 'canary_set',
    request_id: 'req_1',
    actor: { type: 'user', user_id: 'usr_ann', name: 'Ann', key_id: null },
    before: settings,
    after: { ...settings, canary_model: 'sim/small', canary_percent: 10 },
    evidence: null,
    reason: 'Try\nit.\u001b[2J',
    created_at: '2026-11-21T13:00:00.000Z',
  }

  it('prints who changed what, with the evidence and the reason', async () => {
    const byGate: AliasEvent = {
      ...event,
      kind: 'gate_promote',
      actor: { type: 'gate', user_id: null, name: null, key_id: null },
      reason: null,
      before: event.after,
      after: { ...settings, target_model: 'sim/small' },
      evidence: { state: 'promote_ready' },
    }
    const actor = { type: 'user', user_id: 'usr_bob', name: null, key_id: null } as const
    const gone: AliasEvent = { ...event, actor, kind: 'delete', before: settings, after: null, reason: null }
    api.answers('GET /v1/aliases/support/events', page(gone, byGate, event))
    expect((await runAliasCommand(ioFor(api), 'events support --limit 5')).out).toBe(
      [
        '2026-11-21T13:00:00.000Z  delete by a former member (usr_bob)',
        '  target_model  sim/large -> -',
        '',
        '2026-11-21T13:00:00.000Z  gate promote by the gate',
        '  target_model    sim/large -> sim/small',
        '  canary_model    sim/small -> -',
        '  canary_percent  10        -> 0',
        '  evidence: {"state":"promote_ready"}',
        '',
        '2026-11-21T13:00:00.000Z  canary set by Ann',
        '  canary_model    - -> sim/small',
        '  canary_percent  0 -> 10',
        '  reason: Try it. [2J',
        '',
      ].join('\n'),
    )
    expect(api.seen[0]?.line).toBe('GET /v1/aliases/support/events?limit=5')
  })

  it('prints a sentence when there are none', async () => {
    api.answers('GET /v1/aliases/support/events', page())
    expect((await runAliasCommand(ioFor(api), 'events support')).out).toBe('no events of support\n')
  })
})

describe('alias rollback', () => {
  it.each([
    ['rollback support', {}],
    ['rollback support --reason slow', { reason: 'slow' }],
  ])('rolls the canary back: %s', async (line, body) => {
    api.answers('POST /v1/aliases/support/rollback', { body: aliasWith({ version: 5 }) })
    expect(await runAliasCommand(ioFor(api), line)).toMatchObject({
      code: 0,
      out: 'all requests of support go to sim/large (version 5)\n',
    })
    expect(api.seen[0]?.body).toEqual(body)
    expect(JSON.parse((await runAliasCommand(ioFor(api), `${line} --json`)).out).version).toBe(5)
  })

  it('prints why it is refused', async () => {
    api.answers('POST /v1/aliases/support/rollback', refusal(404, { message: 'There is none.', code: 'not_found' }))
    expect(await runAliasCommand(ioFor(api), 'rollback support')).toMatchObject({
      code: 1,
      err: 'error: There is none. (not_found)\n',
    })
  })
})

it('alias delete deletes the alias and prints its name', async () => {
  api.answers('DELETE /v1/aliases/support', { body: { name: 'support', deleted: true } })
  expect(await runAliasCommand(ioFor(api), 'delete support')).toMatchObject({ code: 0, out: 'deleted support\n' })
})
