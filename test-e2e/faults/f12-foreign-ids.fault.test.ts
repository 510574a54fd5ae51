import { randomUUID } from 'node:crypto'
import { type Api, apiOf, createJudge, type Json, sendTraffic } from '../judged-traffic.ts'
import { workspaceWith } from '../workspace-with.ts'
import { describeFault } from './describe-fault.ts'

/** Kinds of resources of a workspace, with the operations on one of them. */
const routes: Readonly<Record<Kind, readonly (readonly [method: string, rest: string, body?: object])[]>> = {
  logs: [
    ['GET', ''],
    ['DELETE', ''],
  ],
  criteria: [
    ['GET', ''],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['POST', '/calibrate', {}],
  ],
  datasets: [
    ['GET', ''],
    ['GET', '/examples'],
    ['GET', '/export'],
    ['DELETE', ''],
  ],
  aliases: [
    ['GET', ''],
    ['GET', '/events'],
    ['POST', '/rollback', { reason: 'Mine.' }],
    ['DELETE', ''],
  ],
  webhooks: [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['PATCH', '', { events: ['eval.done'] }],
    ['DELETE', ''],
  ],
  responses: [
    ['GET', ''],
    ['GET', '/input_items'],
    ['DELETE', ''],
  ],
}
type Kind = 'logs' | 'criteria' | 'datasets' | 'aliases' | 'webhooks' | 'responses'

describeFault(
  {
    id: 'F12',
    title: 'a client requests resources of another workspace',
    promise:
      '404, byte for byte the same as for one that does not exist (except the requested id and the request id); nothing changes',
    fleet: { judges: true, aliases: true, env: { ABUSE_GUARD_LIMIT: '10000' } },
  },
  (fault) => {
    let theirs: Readonly<Record<Kind, string>>
    let owner: Api
    let outsider: Api

    beforeAll(async () => {
      const victim = await workspaceWith(fault.fleet, { loggingEnabled: true })
      owner = apiOf(fault.fleet, victim)
      outsider = apiOf(fault.fleet, await workspaceWith(fault.fleet, { loggingEnabled: true }))
      const [logged] = await sendTraffic(fault.fleet, victim, { model: 'sim/small', count: 1 })
      const made = async (method: string, path: string, body: object): Promise<Json> => {
        const { status, json, text } = await owner(method, path, body)
        if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
        return json
      }
      const examples = [
        {
          messages: [
            { role: 'user', content: 'a' },
            { role: 'assistant', content: 'b' },
          ],
        },
      ]
      theirs = {
        logs: logged?.id ?? '',
        criteria: (await createJudge(owner, 'sim/judge-1-1')).id,
        datasets: (await made('POST', '/datasets', { name: 'theirs', examples })).dataset.id,
        aliases: (await made('PUT', '/aliases', { name: 'theirs', target_model: 'sim/small' })).name,
        webhooks: (await made('POST', '/webhooks', { url: 'https://example.com/hook', events: ['eval.done'] })).id,
        responses: (await made('POST', '/responses', { model: 'sim/small', input: 'hi' })).id,
      }
    }, 60_000)

    it.each(Object.keys(routes) as Kind[])('reveals nothing about its %s', async (kind) => {
      const id = theirs[kind]
      const absent = absentLike(id)
      const before = await owner('GET', `/${kind}/${id}`)
      for (const [method, rest, body] of routes[kind]) {
        const foreign = await outsider(method, `/${kind}/${id}${rest}`, body)
        const nobodys = await outsider(method, `/${kind}/${absent}${rest}`, body)
        expect([method, rest, foreign.status]).toEqual([method, rest, 404])
        expect(shapeOf(foreign.text, id)).toBe(shapeOf(nobodys.text, absent))
        expect(nobodys.status).toBe(404)
      }
      expect(before.status).toBe(200)
      expect((await owner('GET', `/${kind}/${id}`)).text).toBe(before.text)
      fault.note('routes with an id, each with a foreign and an absent one', Object.values(routes).flat().length)
    })

    it('does not accept a foreign id in a body', async () => {
      const ids = [theirs.logs, absentLike(theirs.logs)]
      const answers = await Promise.all(
        ids.map((log_id) => outsider('POST', '/labels', { labels: [{ log_id, label: 'pass' }] })),
      )
      expect(answers.map(({ json }) => json.created)).toEqual([0, 0])
      expect(shapeOf(answers[0]?.text ?? '', ids[0] ?? '')).toBe(shapeOf(answers[1]?.text ?? '', ids[1] ?? ''))
      const chained = [theirs.responses, absentLike(theirs.responses)]
      const chains = await Promise.all(
        chained.map((previous_response_id) =>
          outsider('POST', '/responses', { model: 'sim/small', input: 'hi', previous_response_id }),
        ),
      )
      expect(chains.map(({ status }) => status)).toEqual([404, 404].map(() => chains[1]?.status))
      expect(chains[0]?.status).toBeGreaterThanOrEqual(400)
      expect(shapeOf(chains[0]?.text ?? '', chained[0] ?? '')).toBe(shapeOf(chains[1]?.text ?? '', chained[1] ?? ''))
    })
  },
)

/** An id of the same form and length that does not exist. */
function absentLike(id: string): string {
  const fresh = randomUUID().replaceAll('-', '')
  if (/^[0-9a-f-]{36}$/.test(id)) return randomUUID()
  const digits = id.replace(/^[a-z]+_/, '')
  return digits === id
    ? `nobody${id}`.slice(0, id.length)
    : id.slice(0, -digits.length) + fresh.padEnd(digits.length, '0').slice(0, digits.length)
}

function shapeOf(text: string, id: string): string {
  return text.replaceAll(id, '<id>').replace(/"request_id":"[^"]+"/, '')
}
