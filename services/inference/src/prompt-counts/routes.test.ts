import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { eventually } from '@ratchet/testing/eventually'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp } from '../app.ts'
import { silentProvider, testIdentity } from '../request/request-records.fixture.ts'

const key = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/messages/count_tokens'
const prompt = JSON.stringify({ model: 'acme/fast', messages: [{ role: 'user', content: 'Hi' }] })

/** An app whose tokenizer answers when the test lets it. */
function pausedApp() {
  const ends: (() => void)[] = []
  const countTokens = () => new Promise<number>((resolve) => ends.push(() => resolve(1_000)))
  const app = createApp(testDeps(silentProvider, { countTokensOf: () => countTokens, identityKeys: [key] }))
  const count = (body = prompt, workspaceId = testIdentity.workspaceId) => {
    const bound = { audience: 'inference', requestId: 'r1', method: 'POST', path }
    const signed = signAsCaller(key, bound, { ...testIdentity, workspaceId }, testNow().getTime())
    const headers = { [requestIdHeader]: 'r1', [identityHeader]: signed, 'content-type': 'application/json' }
    return request(app)
      .post(path)
      .set(headers)
      .send(body)
      .then(({ status, body: reply }) => ({ status, reply }))
  }
  return { ends, count }
}

it('estimates the counts of a workspace that has two running, and leaves places to others', async () => {
  const { ends, count } = pausedApp()
  const running = [count(), count()]
  await eventually(async () => expect(ends).toHaveLength(2))
  const third = await count()
  expect(third).toMatchObject({ status: 200, reply: { input_tokens: expect.any(Number) } })
  expect(third.reply.input_tokens).toBeLessThan(1_000)
  const other = count(prompt, '00000000-0000-7000-8000-0000000000ff')
  await eventually(async () => expect(ends).toHaveLength(3))
  for (const end of ends) end()
  for (const { reply } of await Promise.all([...running, other])) expect(reply.input_tokens).toBeGreaterThan(1_000)
})

it('refuses a body that is nested too deep', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const { status, reply } = await pausedApp().count(prompt.replace('"Hi"', deep))
  expect([status, reply.error.type]).toEqual([400, 'invalid_request_error'])
})
