import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { createFamilyFinder } from '../routing/family-finder.ts'
import { aliasesOf, aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import type { AliasRoute } from '../workspace-settings/alias-route.ts'
import { aliasedApp } from './aliased-app.fixture.ts'
import { needsFamily } from './find-family.ts'
import { parsedRequest, question } from './request-records.fixture.ts'

const bad = 'seg_00000000000000b1'
const promoted = { canaryModel: 'acme/new', canaryPercent: 100 }
const split = { canaryModel: 'acme/new', canaryPercent: 50 }

/** The app of an alias with rules, over a log that gives prompts of support the segment `bad`. */
function app(changes: Partial<AliasRoute>, log = { isAvailable: true }) {
  const calls: unknown[] = []
  const families = createFamilyFinder({
    async ask(_identity, messages) {
      calls.push(messages)
      if (!log.isAvailable) throw new FleetCallError('no answer', { status: 0 })
      return { segment: JSON.stringify(messages).includes('support') ? bad : 'seg_other', isFinal: true }
    },
    clockMs: () => 0,
    onEvent() {},
  })
  const captured: { readonly canary: boolean; readonly alias: string | null }[] = []
  const capture = { add: ({ meta }: { meta: (typeof captured)[number] }) => captured.push(meta), skipTooLarge() {} }
  const settings = { loggingEnabled: true }
  const aliased = aliasedApp({
    routes: [aliasRoute(changes)],
    settings,
    changes: { families, capture: { ...capture, async stop() {} } as never },
  })
  const chat = (system: string | null, more: object = {}) =>
    aliased.send({
      model: 'support-bot',
      messages: [...(system === null ? [] : [{ role: 'system', content: system }]), { role: 'user', content: 'Hi' }],
      ...more,
    })
  return { ...aliased, chat, calls, captured }
}

const support = 'You answer questions of support.'
const sales = 'You answer questions of sales.'

it('routes a family by its rule, and the others by the split', async () => {
  const { chat, called } = app({ ...promoted, familyRules: [{ segment: bad, model: 'acme/fast' }] })
  for (const system of [support, sales, null]) await chat(system)
  expect(called).toEqual(['acme/fast', 'acme/new', 'acme/new'])
})

it('gives a family a model of its own', async () => {
  const { chat, called } = app({ familyRules: [{ segment: 'none', model: 'acme/new' }] })
  for (const system of [null, support]) await chat(system)
  expect(called).toEqual(['acme/new', 'acme/fast'])
})

it('gives the canary to the families that rules name, and to no others', async () => {
  const familyRules = [
    { segment: '*', model: 'acme/fast' },
    { segment: bad, model: null },
  ]
  const { chat, called } = app({ ...promoted, familyRules })
  for (const system of [sales, support, null]) await chat(system)
  expect(called).toEqual(['acme/fast', 'acme/new', 'acme/fast'])
})

it.each([
  ['/v1/messages', { system: support, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', { instructions: support, input: 'Hi' }],
])('routes requests of %s by their instructions', async (path, body) => {
  const { send, called } = app({ ...promoted, familyRules: [{ segment: bad, model: 'acme/fast' }] })
  expect((await send({ ...body, model: 'support-bot' }, {}, path)).status).toBe(200)
  expect(called).toEqual(['acme/fast'])
})

it('counts requests of a rule for neither arm, and logs them under the alias and not as those of the canary', async () => {
  const { chat, arms, captured } = app({ ...split, familyRules: [{ segment: bad, model: 'acme/new' }] })
  for (let each = 0; each < 20; each += 1) await chat(support)
  expect(arms.take()).toEqual([])
  expect(new Set(captured.map(({ canary, alias }) => `${alias} ${canary}`))).toEqual(new Set(['support-bot false']))
  for (let each = 0; each < 20; each += 1) await chat(sales)
  expect(
    arms
      .take()
      .map(({ arm }) => arm)
      .toSorted(),
  ).toEqual(['canary', 'target'])
})

it('counts nothing for a request that the model of a rule cannot take', async () => {
  const { chat, arms } = app({ ...split, familyRules: [{ segment: bad, model: 'acme/embed' }] })
  expect((await chat(support)).status).toBe(400)
  expect(arms.take()).toEqual([])
})

it('routes a fallback that is an alias by the family too', async () => {
  const { chat, called } = app({ ...promoted, familyRules: [{ segment: bad, model: 'acme/fast' }] })
  expect((await chat(support, { model: 'acme/none', models: ['support-bot'] })).status).toBe(404)
  expect((await chat(support, { model: 'acme/new', models: ['support-bot'] })).status).toBe(200)
  expect(called).toEqual(['acme/new'])
})

it('routes as without rules while the log does not answer, and answers', async () => {
  const log = { isAvailable: false }
  const { chat, called } = app({ ...promoted, familyRules: [{ segment: bad, model: 'acme/fast' }] }, log)
  for (const system of [support, support]) expect((await chat(system)).status).toBe(200)
  expect(called).toEqual(['acme/new', 'acme/new'])
})

it('does not call the log for aliases without rules, or for models', async () => {
  const { chat, calls } = app({ ...split })
  await chat(support)
  await chat(support, { model: 'acme/fast' })
  expect(calls).toEqual([])
})

it.each<[string, object, AliasRoute[], string[], boolean]>([
  ['the alias has rules', { model: 'ruled' }, [], [], true],
  ['it has none', { model: 'support-bot' }, [], [], false],
  ['a fallback of the request has rules', { models: ['ruled'] }, [], [], true],
  ['a fallback of the workspace has rules', {}, [], ['ruled'], true],
  ['the request names other fallbacks', { models: ['acme/new'] }, [], ['ruled'], false],
])('needs the family when %s: %s', (_case, body, _routes, fallbackModels, expected) => {
  const ruled = aliasRoute({ name: 'ruled', familyRules: [{ segment: 'none', model: 'acme/new' }] })
  const settings = { ...parsedRequest().settings, aliases: aliasesOf(aliasRoute(), ruled), fallbackModels }
  expect(needsFamily(parsedRequest({ ...question, ...body }, { settings }))).toBe(expected)
})
