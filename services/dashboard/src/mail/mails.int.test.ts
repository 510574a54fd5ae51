import { randomUUID } from 'node:crypto'
import { readMe } from '@ratchet/contracts/dashboard/account'
import { changeUser, createResetLink } from '@ratchet/contracts/dashboard/admin'
import { listEvents } from '@ratchet/contracts/dashboard/events'
import { acceptInvitation, createInvitation } from '@ratchet/contracts/dashboard/members'
import { resetPassword } from '@ratchet/contracts/dashboard/sign-in'
import { publicId } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { password, startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'
import { mailOfEvent } from './event-mails.ts'
import type { Mailer } from './mail.ts'
import { mailOfCap, mailOfWallet, sendOwnerMails, type WalletNotice } from './owner-mails.ts'
import { createPgCapNotices, createPgEventNotices, createPgWalletNotices } from './pg-owner-notices.ts'
import { createSmtpMailer } from './smtp-mailer.ts'
import { startSmtpServer, type TestSmtpServer } from './smtp-server.fixture.ts'

let smtp: TestSmtpServer
let dashboard: TestDashboard
let owner: TestBrowser
let pool: Pool
const from = 'Ratchet <ratchet@example.com>'

beforeAll(async () => {
  smtp = await startSmtpServer()
  dashboard = await startTestDashboard({ env: { SMTP_URL: smtp.url, EMAIL_FROM: from } })
  owner = await dashboard.owner('acme')
  pool = connectPool({ databaseUrl: dashboard.databaseUrl, role: 'ratchet_dashboard', max: 4 })
})
afterAll(async () => {
  await pool.end()
  await dashboard.stop()
  await smtp.stop()
})
beforeEach(() => {
  smtp.refuse(false)
  smtp.received.length = 0
})

const linkIn = (body = '') => /http:\/\/localhost:3000\S+/.exec(body)?.[0] ?? ''
const tokenOf = (link: string) => link.split('/').at(-1) ?? ''
const invite = (email: string, role: 'owner' | 'member' = 'member') =>
  owner.call(createInvitation, { params: { slug: 'acme' }, body: { email, role } })

/** Accepts the invitation of the last mail. */
async function join(email: string, role: 'owner' | 'member' = 'member'): Promise<TestBrowser> {
  await invite(email, role)
  const browser = dashboard.browser()
  const token = tokenOf(linkIn(smtp.received.at(-1)?.body))
  await browser.call(acceptInvitation, { body: { token, name: 'Ann', password } })
  return browser
}

const idOf = async (browser: TestBrowser) => (await browser.call(readMe)).user?.id ?? ''

it('mails an invitation that works, and shows its link to nobody else', async () => {
  const reply = await invite('ann@example.com')
  expect(reply).toMatchObject({ mailed: true, link: null })
  const [mail] = smtp.received
  expect(mail?.to).toEqual(['ann@example.com'])
  const token = tokenOf(linkIn(mail?.body))
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(JSON.stringify([reply, dashboard.logLines])).not.toContain(token)
  const joined = await dashboard.browser().call(acceptInvitation, { body: { token, name: 'Ann', password } })
  expect(joined).toMatchObject({ slug: 'acme', role: 'member' })
})

it('shows the link of an invitation that the server does not take', async () => {
  smtp.refuse(true)
  const reply = await invite('bob@example.com')
  expect(reply.mailed).toBe(false)
  expect(reply.link).toMatch(/\/invite\/[\w-]{43}$/)
  expect(JSON.stringify(dashboard.logLines)).not.toContain(tokenOf(reply.link ?? ''))
})

it('mails a link for a new password to the person, and not to the operator', async () => {
  const someone = await join('carl@example.com')
  const reply = await owner.call(createResetLink, { params: { id: await idOf(someone) } })
  expect(reply).toEqual({ object: 'reset_link', mailed: true, link: null })
  const mail = smtp.received.at(-1)
  expect(mail?.to).toEqual(['carl@example.com'])
  const token = tokenOf(linkIn(mail?.body))
  await dashboard.browser().call(resetPassword, { body: { token, new_password: 'a new long password' } })
})

it('does not start with a mail server and no sender', async () => {
  await expect(startTestDashboard({ env: { SMTP_URL: smtp.url } })).rejects.toThrow('EMAIL_FROM')
})

const minutes = (count: number) => new Date(Date.now() + count * 60_000)
const errors: unknown[] = []
const deps = (at: Date) => ({
  mailer: createSmtpMailer({ url: smtp.url, from }),
  now: () => at,
  onError: (error: unknown) => void errors.push(error),
})
const walletMails = (at: Date) => ({
  ...deps(at),
  notices: createPgWalletNotices(pool),
  mailOf: (notice: WalletNotice) => mailOfWallet(dashboard.origin, notice),
})
const mailWallets = (at: Date) => sendOwnerMails(walletMails(at))

describe('a wallet that fell below its alert', () => {
  async function setLow(isLow: boolean, changedAt: Date): Promise<void> {
    await dashboard.pool.query(
      `INSERT INTO wallet_alert (workspace_id, threshold, is_below, available, changed_at, updated_by)
       SELECT id, 5000000000, $1, 1250000000, $2, id FROM workspace WHERE slug = 'acme'
       ON CONFLICT (workspace_id) DO UPDATE SET is_below = $1, changed_at = $2`,
      [isLow, changedAt],
    )
  }

  it('is mailed to each owner once, also by several processes, and again after the next fall', async () => {
    await join('second@example.com', 'owner')
    smtp.received.length = 0
    await setLow(true, minutes(-1))
    await Promise.all([1, 2, 3].map(() => mailWallets(minutes(0))))
    await mailWallets(minutes(5))
    expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(['owner@acme.example', 'second@example.com'])
    expect(smtp.received[0]?.body).toContain('1.25 US dollars left, which is less than 5')
    expect(linkIn(smtp.received[0]?.body)).toBe('http://localhost:3000/w/acme/billing')
    await setLow(false, minutes(6))
    await mailWallets(minutes(7))
    expect(smtp.received).toHaveLength(2)
    await setLow(true, minutes(8))
    await mailWallets(minutes(9))
    expect(smtp.received).toHaveLength(4)
  })

  it('is mailed when the server takes mails again, and not to somebody who was disabled meanwhile', async () => {
    const third = await join('third@example.com', 'owner')
    smtp.refuse(true)
    smtp.received.length = 0
    await setLow(true, minutes(20))
    await mailWallets(minutes(21))
    expect(errors).toHaveLength(3)
    smtp.refuse(false)
    await mailWallets(minutes(21))
    expect(smtp.received).toEqual([])
    await owner.call(changeUser, { params: { id: await idOf(third) }, body: { disabled: true } })
    await mailWallets(minutes(23))
    expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(['owner@acme.example', 'second@example.com'])
  })

  it('is mailed once when the server is slow, while another process mails too', async () => {
    await setLow(true, minutes(30))
    let at = minutes(31)
    const { mailer, ...mails } = walletMails(at)
    const slow: Mailer = {
      async send(mail) {
        at = new Date(at.getTime() + 40_000)
        await mailWallets(at)
        await mailer.send(mail)
      },
    }
    await sendOwnerMails({ ...mails, mailer: slow, now: () => at })
    expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(['owner@acme.example', 'second@example.com'])
  })
})

it('mails owners once about a judge that reached its weekly cap, and again when it reaches a higher one', async () => {
  const id = randomUUID()
  const mailCaps = (at: Date) =>
    sendOwnerMails({
      ...deps(at),
      notices: createPgCapNotices(pool),
      mailOf: (notice) => mailOfCap(dashboard.origin, notice),
    })
  await dashboard.pool.query(
    `INSERT INTO criterion (id, workspace_id, name, judge_prompt, judge_model, created_by, created_at)
     SELECT $1, id, 'Sound', '-', 'sim/judge', id, now() FROM workspace WHERE slug = 'acme'`,
    [id],
  )
  const reach = (nano: number, at: Date) =>
    dashboard.pool.query('UPDATE criterion SET cap_reached_nano = $2, cap_reached_at = $3 WHERE id = $1', [
      id,
      nano,
      at,
    ])
  await mailCaps(minutes(0))
  expect(smtp.received).toEqual([])
  await reach(2_000_000_000, minutes(-1))
  await Promise.all([1, 2].map(() => mailCaps(minutes(0))))
  await mailCaps(minutes(5))
  expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(['owner@acme.example', 'second@example.com'])
  expect(smtp.received[0]?.body).toContain('its cap of 2.00 US dollars a week')
  const page = `http://localhost:3000/w/acme/judges/${publicId('criterion', id)}/monitor`
  expect(linkIn(smtp.received[0]?.body)).toBe(page)
  await reach(3_000_000_000, minutes(6))
  await mailCaps(minutes(7))
  expect(smtp.received).toHaveLength(4)
})

describe('what happens by itself', () => {
  const params = { slug: 'acme' }
  const query = (text: string, values: readonly unknown[]) => dashboard.pool.query(text, [...values])
  const mailEvents = (at: Date) =>
    sendOwnerMails({
      ...deps(at),
      notices: createPgEventNotices(pool),
      mailOf: (notice) => mailOfEvent(dashboard.origin, notice),
    })
  const decide = (kind: string, at: Date) =>
    query(
      `INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, evidence, created_at)
       SELECT gen_random_uuid(), id, gen_random_uuid(), 'support', $1::alias_event_kind, '{}', $2 FROM workspace WHERE slug = 'acme'`,
      [kind, at],
    )
  const owners = ['owner@acme.example', 'second@example.com']
  const sentTo = () => smtp.received.flatMap(({ to }) => to).sort()

  it('is mailed to owners once when a gate promoted an alias or rolled it back, and not for other changes', async () => {
    await decide('update', minutes(-2))
    await mailEvents(minutes(0))
    expect(sentTo()).toEqual([])
    await decide('gate_promote', minutes(-1))
    await Promise.all([1, 2].map(() => mailEvents(minutes(0))))
    await mailEvents(minutes(5))
    expect(sentTo()).toEqual(owners)
    expect(linkIn(smtp.received[0]?.body)).toBe('http://localhost:3000/w/acme/aliases/support/audit')
    await decide('gate_rollback', minutes(6))
    await mailEvents(minutes(7))
    expect(smtp.received.filter(({ body }) => body.includes('rolled'))).toHaveLength(2)
  })

  it('is mailed to the person who started a scan, when it ends', async () => {
    const grader = await join('scanner@example.com')
    const [judge, run] = [randomUUID(), randomUUID()]
    await query(
      `INSERT INTO criterion (id, workspace_id, name, judge_prompt, judge_model, created_by, created_at)
       SELECT $1, id, 'Kind', '-', 'sim/judge', id, now() FROM workspace WHERE slug = 'acme'`,
      [judge],
    )
    await query(
      `INSERT INTO judge_run (id, workspace_id, criterion_id, kind, status, judge_model, prompt_sha256, request, created_by, created_at)
       SELECT $1, id, $2, 'scan', 'RUNNING', 'sim/judge', 'x', '{}', $3, now() FROM workspace WHERE slug = 'acme'`,
      [run, judge, await idOf(grader)],
    )
    smtp.received.length = 0
    await mailEvents(minutes(0))
    expect(sentTo()).toEqual([])
    await query("UPDATE judge_run SET status = 'DONE', finished_at = now() WHERE id = $1", [run])
    await mailEvents(minutes(1))
    expect(sentTo()).toEqual(['scanner@example.com'])
    const page = `http://localhost:3000/w/acme/judges/${publicId('criterion', judge)}/scans?scan=${publicId('scan', run)}`
    expect(linkIn(smtp.received[0]?.body)).toBe(page)
  })

  it('is mailed to owners once a day when requests do not arrive in the log, and shown to members', async () => {
    await query(
      `INSERT INTO lost_capture (workspace_id, day, requests, found_at)
       SELECT id, current_date, 7, now() FROM workspace WHERE slug = 'acme'`,
      [],
    )
    await mailEvents(minutes(1))
    await query(
      "UPDATE lost_capture SET requests = 9 WHERE workspace_id = (SELECT id FROM workspace WHERE slug = 'acme')",
      [],
    )
    await mailEvents(minutes(5))
    expect(sentTo()).toEqual(owners)
    const { data } = await owner.call(listEvents, { params })
    expect(data.map(({ kind }) => kind).sort()).toEqual(['alias.promote', 'alias.rollback', 'log.lost', 'scan.done'])
    expect(data.find(({ kind }) => kind === 'log.lost')).toMatchObject({ requests: 9, judge_id: null })
    const other = await dashboard.owner('elsewhere')
    expect((await other.call(listEvents, { params: { slug: 'elsewhere' } })).data).toEqual([])
  })
})

describe('old prices', () => {
  it('are mailed to owners once, and shown on the first page', async () => {
    const params = { slug: 'acme' }
    await dashboard.pool.query(
      `INSERT INTO workspace_warning (id, workspace_id, type, about, data, at)
       SELECT gen_random_uuid(), id, type, 'x', '{"as_of":"2026-05-01"}', now() - interval '1 minute'
       FROM workspace, unnest(ARRAY['catalog.stale', 'budget.threshold']) AS type WHERE slug = 'acme'`,
    )
    smtp.received.length = 0
    const notices = createPgEventNotices(pool)
    const mailOf = (notice: Parameters<typeof mailOfEvent>[1]) => mailOfEvent(dashboard.origin, notice)
    for (const at of [minutes(8), minutes(9)]) await sendOwnerMails({ ...deps(at), notices, mailOf })
    const about = smtp.received.filter(({ body }) => body.includes('2026-05-01'))
    expect(about.flatMap(({ to }) => to).sort()).toEqual(['owner@acme.example', 'second@example.com'])
    expect(linkIn(about[0]?.body)).toBe('http://localhost:3000/w/acme/billing/usage')
    const { data } = await owner.call(listEvents, { params })
    expect(data.filter(({ kind }) => kind === 'catalog.stale')).toMatchObject([{ name: '2026-05-01', requests: null }])
  })
})

describe('the queue of mails', () => {
  /** Runs a step with the statements that it sends recorded. */
  async function statementsOf(create: (on: Pick<Pool, 'query'>) => { take(now: Date): Promise<unknown> }) {
    const sent: { readonly text: string; readonly values: unknown[] }[] = []
    const query = async (text: string, values: unknown[]) => {
      sent.push({ text, values })
      return { rows: [] }
    }
    await create({ query } as unknown as Pick<Pool, 'query'>).take(new Date('2026-11-28T12:00:00Z'))
    return sent
  }

  it.each([
    ['wallet_notice', createPgWalletNotices],
    ['cap_notice', createPgCapNotices],
    ['event_notice', createPgEventNotices],
  ])('finds the next mail of %s by its index, however many were sent', async (table, create) => {
    const [statement] = await statementsOf(create)
    const client = await pool.connect()
    try {
      await client.query('SET enable_seqscan = off')
      const { rows } = await client.query({ text: `EXPLAIN ${statement?.text}`, values: statement?.values ?? [] })
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain(`${table}_due_idx`)
      expect(plan).not.toContain(`Seq Scan on ${table}`)
    } finally {
      client.release(true)
    }
  })
})
