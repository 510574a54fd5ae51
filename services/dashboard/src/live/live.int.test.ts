import { readMe } from '@ratchet/contracts/dashboard/account'
import { liveChannel } from '@ratchet/contracts/dashboard/live'
import { removeMember } from '@ratchet/contracts/dashboard/members'
import { changeSettings } from '@ratchet/contracts/dashboard/settings'
import { signOut } from '@ratchet/contracts/dashboard/sign-in'
import { eventually } from '@ratchet/testing/eventually'
import { Redis } from 'ioredis'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
let redis: Redis

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
  redis = new Redis(dashboard.redisUrl)
})
afterAll(async () => {
  redis.disconnect()
  await dashboard.stop()
})

async function open(browser: TestBrowser, slug = 'acme') {
  const answer = await browser.send(`/api/w/${slug}/live`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const page = { text: '', isOver: false }
  const read = async () => {
    for await (const chunk of answer.body ?? []) page.text += Buffer.from(chunk).toString()
  }
  void read()
    .catch(() => undefined)
    .finally(() => {
      page.isOver = true
    })
  return page
}

const workspaceId = async (slug: string) =>
  (await dashboard.pool.query('SELECT id FROM workspace WHERE slug = $1', [slug])).rows[0].id as string

it('notifies the pages of a workspace of a change, and no others', async () => {
  const outsider = await dashboard.owner('other')
  const [own, foreign] = [await open(owner), await open(outsider, 'other')]
  const body = { logging: { enabled: true } }
  await eventually(async () => {
    await owner.call(changeSettings, { params: { slug: 'acme' }, body })
    expect(own.text).toContain('event: change\ndata: {"topic":"setup"}')
  })
  expect(own.text).toMatch(/^retry: 3000\n/)
  expect(foreign.text).not.toContain('event:')
})

it('passes a message of another service, and nothing that is not one', async () => {
  const page = await open(owner)
  const channel = liveChannel(await workspaceId('acme'))
  await eventually(async () => {
    await redis.publish(channel, 'not JSON')
    await redis.publish(channel, JSON.stringify({ topic: '<script>', content: 'secret' }))
    await redis.publish(channel, JSON.stringify({ topic: 'eval:eval_1', version: 7, content: 'secret' }))
    expect(page.text).toContain('data: {"topic":"eval:eval_1","version":7}')
  })
  expect(page.text).not.toMatch(/script|secret/)
})

it('ends the streams of a member who is removed, and of one who signs out', async () => {
  const removed = await dashboard.member(owner, 'acme', { role: 'member' })
  const signedOut = await dashboard.member(owner, 'acme', { role: 'member' })
  const pages = [await open(removed), await open(removed), await open(signedOut)]
  const staying = await open(owner)
  const user_id = (await removed.call(readMe)).user?.id ?? ''
  await owner.call(removeMember, { params: { slug: 'acme', user_id } })
  await signedOut.call(signOut, { body: {} })
  await eventually(() => pages.every(({ isOver }) => isOver))
  expect(staying.isOver).toBe(false)
})
