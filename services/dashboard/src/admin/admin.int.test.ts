import { createWorkspace, readMe } from '@ratchet/contracts/dashboard/account'
import {
  changeUser,
  changeWorkspace,
  correctWorkspaceWallet,
  createResetLink,
  creditWorkspace,
  listAllUsers,
  listAllWorkspaces,
} from '@ratchet/contracts/dashboard/admin'
import { changeWorkspaceLimits, listAllProviders } from '@ratchet/contracts/dashboard/admin-limits'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import {
  acceptInvitation,
  createInvitation,
  leaveWorkspace,
  listMembers,
  readInvitation,
} from '@ratchet/contracts/dashboard/members'
import { resetPassword, signInWithPassword } from '@ratchet/contracts/dashboard/sign-in'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { password, startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'
import { type ScriptedInference, startScriptedInference } from '../scripted-inference.fixture.ts'

let dashboard: TestDashboard
let inference: ScriptedInference
let operator: TestBrowser
let member: TestBrowser

beforeAll(async () => {
  inference = await startScriptedInference(() => dashboard.inferenceKey)
  dashboard = await startTestDashboard({ env: inference.env })
  operator = await dashboard.owner('acme')
  member = await dashboard.member(operator, 'acme', { role: 'member' })
})
afterAll(async () => {
  await dashboard.stop()
  await inference.stop()
})

const idOf = async (browser: TestBrowser) => (await browser.call(readMe)).user?.id ?? ''

it('lists workspaces and users by a part of their names', async () => {
  const { data, total } = await operator.call(listAllWorkspaces, { query: { search: 'ACM' } })
  expect([data, total]).toMatchObject([
    [{ slug: 'acme', owners: ['owner@acme.example'], members: 2, active_keys: 0 }],
    1,
  ])
  const users = await operator.call(listAllUsers, { query: { limit: 1 } })
  expect(users).toMatchObject({ total: 2, has_more: true, data: [{ operator: false, workspaces: [{ slug: 'acme' }] }] })
})

it('makes a link that resets a password, which the owners of the workspaces can read about', async () => {
  const id = await idOf(member)
  const { link } = await operator.call(createResetLink, { params: { id } })
  expect(link).toMatch(/^http:\/\/localhost:3000\/reset\/[\w-]{43}$/)
  const token = link?.split('/').at(-1) ?? ''
  await dashboard.browser().call(resetPassword, { body: { token, new_password: 'a new long password' } })
  const { data } = await operator.call(listAudit, { params: { slug: 'acme' } })
  expect(data.slice(0, 2)).toMatchObject([
    { action: 'user.password_changed', subject: id, actor: { id } },
    { action: 'user.reset_link_created', subject: id, actor: { id: await idOf(operator) } },
  ])
  expect(JSON.stringify([data, dashboard.logLines])).not.toContain(token)
})

it('gives and ends the right of an operator, and always leaves one', async () => {
  const someone = await dashboard.member(operator, 'acme', { role: 'admin' })
  const [own, id] = [await idOf(operator), await idOf(someone)]
  const last = operator.call(changeUser, { params: { id: own }, body: { operator: false } })
  await expect(last).rejects.toMatchObject({ status: 409 })
  await operator.call(changeUser, { params: { id }, body: { operator: true } })
  expect((await someone.call(listAllUsers)).total).toBe(3)
  await operator.call(changeUser, { params: { id }, body: { operator: false } })
  await expect(someone.call(listAllUsers)).rejects.toMatchObject({ status: 403 })
})

it('disables a person: signed out at once, everywhere, and with no way to sign in', async () => {
  const someone = await dashboard.member(operator, 'acme', { role: 'admin' })
  const { user } = await someone.call(readMe)
  const [id, email] = [user?.id ?? '', user?.email ?? '']
  const disabled = await operator.call(changeUser, { params: { id }, body: { disabled: true } })
  expect(disabled.disabled_at).not.toBeNull()
  await expect(someone.call(listMembers, { params: { slug: 'acme' } })).rejects.toMatchObject({ status: 401 })
  const signIn = () => dashboard.browser().call(signInWithPassword, { body: { email, password } })
  await expect(signIn()).rejects.toMatchObject({ status: 401, code: 'sign_in_failed' })
  const { data } = await operator.call(listAudit, { params: { slug: 'acme' } })
  expect(data[0]).toMatchObject({ action: 'user.changed', subject: id, after: { disabled: true } })
  await operator.call(changeUser, { params: { id }, body: { disabled: false } })
  await expect(signIn()).resolves.toMatchObject({ object: 'signed_in' })
})

it('does not let the last operator be disabled, nor one whom only disabled operators would follow', async () => {
  const someone = await dashboard.member(operator, 'acme', { role: 'admin' })
  const [own, id] = [await idOf(operator), await idOf(someone)]
  await operator.call(changeUser, { params: { id }, body: { operator: true, disabled: true } })
  for (const body of [{ disabled: true }, { operator: false }]) {
    await expect(operator.call(changeUser, { params: { id: own }, body })).rejects.toMatchObject({ status: 409 })
  }
  await operator.call(changeUser, { params: { id }, body: { operator: false } })
})

it('disables a workspace: nobody finds it, and its keys are no identity, until it is enabled', async () => {
  const owner = await dashboard.owner('closed')
  const keys = 'SELECT k.role FROM api_key_identity k JOIN workspace w ON w.id = k.workspace_id WHERE w.slug = $1'
  await dashboard.pool.query(
    `INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at)
     SELECT gen_random_uuid(), workspace_id, user_id, 'k', '\\x01', 'k', now()
     FROM membership JOIN workspace w ON w.id = workspace_id WHERE w.slug = 'closed'`,
  )
  const keyCount = async () => (await dashboard.pool.query(keys, ['closed'])).rowCount
  expect(await keyCount()).toBe(1)
  const params = { slug: 'closed' }
  const first = await operator.call(changeWorkspace, { params, body: { disabled: true } })
  expect(await operator.call(changeWorkspace, { params, body: { disabled: true } })).toEqual(first)
  expect(await keyCount()).toBe(0)
  await expect(owner.call(listMembers, { params })).rejects.toMatchObject({ status: 404 })
  expect((await owner.send('/api/w/closed/v1/logs')).status).toBe(404)
  expect((await owner.call(readMe)).workspaces).toEqual([])
  await operator.call(changeWorkspace, { params, body: { disabled: false } })
  expect(await keyCount()).toBe(1)
  const { data } = await owner.call(listAudit, { params })
  expect(data.map(({ action }) => action).slice(0, 2)).toEqual(['workspace.enabled', 'workspace.disabled'])
})

describe('an invitation', () => {
  const tokenOf = (link: string | null) => link?.split('/').at(-1) ?? ''
  const invite = async (by: TestBrowser, slug: string, email: string) =>
    tokenOf((await by.call(createInvitation, { params: { slug }, body: { email, role: 'owner' } })).link)

  async function expectRefused(token: string): Promise<void> {
    const refused = { status: 404, code: 'not_found' }
    await expect(dashboard.browser().call(readInvitation, { body: { token } })).rejects.toMatchObject(refused)
    const accepted = dashboard.browser().call(acceptInvitation, { body: { token, name: 'Back', password } })
    await expect(accepted).rejects.toMatchObject(refused)
  }

  it('of a person ends when the person is disabled, also after the person is enabled again', async () => {
    const owner = await dashboard.owner('inviting')
    const token = await invite(owner, 'inviting', 'way@back.example')
    const params = { id: await idOf(owner) }
    await operator.call(changeUser, { params, body: { disabled: true } })
    await expectRefused(token)
    await operator.call(changeUser, { params, body: { disabled: false } })
    await expectRefused(token)
    const { rowCount } = await dashboard.pool.query("SELECT 1 FROM invitation WHERE email = 'way@back.example'")
    expect(rowCount).toBe(0)
  })

  it.each([
    ['the workspace', 'workspace', "slug = 'barred-workspace'", 'barred-workspace'],
    ['who invited', 'app_user', "email = 'owner@barred-person.example'", 'barred-person'],
  ])('cannot be used while %s is disabled', async (_what, table, condition, slug) => {
    const token = await invite(await dashboard.owner(slug), slug, `guest@${slug}.example`)
    await dashboard.pool.query(`UPDATE ${table} SET disabled_at = now() WHERE ${condition}`)
    await expectRefused(token)
    await dashboard.pool.query(`UPDATE ${table} SET disabled_at = NULL WHERE ${condition}`)
    expect(await dashboard.browser().call(readInvitation, { body: { token } })).toMatchObject({ workspace: slug })
  })
})

it('does not let the last owner leave who is not disabled', async () => {
  const first = await dashboard.owner('half')
  const second = await dashboard.member(first, 'half', { role: 'owner' })
  await operator.call(changeUser, { params: { id: await idOf(second) }, body: { disabled: true } })
  const left = first.call(leaveWorkspace, { params: { slug: 'half' } })
  await expect(left).rejects.toMatchObject({ status: 409, code: 'conflict' })
})

it('disables nobody and nothing for those who are no operators', async () => {
  const id = await idOf(operator)
  const admin = await dashboard.member(operator, 'acme', { role: 'admin' })
  const refused = { status: 403 }
  await expect(admin.call(changeUser, { params: { id }, body: { disabled: true } })).rejects.toMatchObject(refused)
  const params = { slug: 'acme' }
  await expect(admin.call(changeWorkspace, { params, body: { disabled: true } })).rejects.toMatchObject(refused)
  await expect(
    operator.call(changeWorkspace, { params: { slug: 'none' }, body: { disabled: true } }),
  ).rejects.toMatchObject({ status: 404 })
})

it('does not make an operator a member', async () => {
  await dashboard.owner('other')
  const answer = await operator.send('/api/w/other/settings')
  expect(answer.status).toBe(404)
})

const body = { amount_nano: '25000000000', reference: 'inv-17', reason: 'paid by transfer' }

it('credits a wallet in the name of an operator, and its owners read who did it', async () => {
  inference.answer = { status: 200, body: { credited: true, balance_nano: '25000000001' } }
  const reply = await operator.call(creditWorkspace, { params: { slug: 'acme' }, body })
  expect(reply).toEqual({ object: 'credit', credited: true, balance_nano: '25000000001' })
  const sent = { workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/), ...body }
  expect(inference.calls.splice(0)).toEqual([{ path: '/internal/credits', body: sent, identity: fleetIdentity }])
  const { data } = await operator.call(listAudit, { params: { slug: 'acme' } })
  const { reference: subject, ...after } = body
  const actor = { id: await idOf(operator) }
  expect(data[0]).toMatchObject({ action: 'wallet.credit_requested', subject, after, actor })
})

it.each([
  [
    'a used reference',
    {
      status: 409,
      body: {
        error: {
          code: 'conflict',
          type: 'invalid_request_error',
          param: 'reference',
          request_id: 'r',
          message: 'used',
        },
      },
    },
    409,
    'conflict',
  ],
  ['a failure of inference', { status: 500, body: {} }, 503, 'service_unavailable'],
  ['a refused dashboard', { status: 401, body: {} }, 503, 'service_unavailable'],
])('says of %s what it is', async (_what, answer, status, code) => {
  inference.answer = answer
  const credit = operator.call(creditWorkspace, { params: { slug: 'acme' }, body })
  await expect(credit).rejects.toMatchObject({ status, code })
})

it.each([
  ['no amount', { amount_nano: '0' }],
  ['a negative amount', { amount_nano: '-5' }],
  ['more than a billion dollars', { amount_nano: '1000000000000000001' }],
  ['no reference', { reference: ' ' }],
  ['no reason', { reason: '' }],
  ['a reason of two lines', { reason: 'a\nb' }],
])('refuses a credit with %s', async (_what, changes) => {
  inference.calls.length = 0
  const credit = operator.call(creditWorkspace, { params: { slug: 'acme' }, body: { ...body, ...changes } })
  await expect(credit).rejects.toMatchObject({ status: 400 })
  expect(inference.calls).toEqual([])
})

it('credits nothing for a member, an owner without the right, or an unknown workspace', async () => {
  inference.calls.length = 0
  const owner = await dashboard.owner('third')
  const of = (by: TestBrowser, slug: string) => by.call(creditWorkspace, { params: { slug }, body })
  const admin = await dashboard.member(operator, 'acme', { role: 'admin' })
  await expect(of(admin, 'acme')).rejects.toMatchObject({ status: 403 })
  await expect(of(operator, 'nothing')).rejects.toMatchObject({ status: 404 })
  await operator.call(changeUser, { params: { id: await idOf(owner) }, body: { operator: false } })
  await expect(of(owner, 'third')).rejects.toMatchObject({ status: 403 })
  expect(inference.calls).toEqual([])
})

describe('a correction of a wallet', () => {
  const correction = { amount_nano: '-5000000000', reference: 'ticket-9', reason: 'credited twice' }
  const correct = (by: TestBrowser, changes: object = {}) =>
    by.call(correctWorkspaceWallet, { params: { slug: 'acme' }, body: { ...correction, ...changes } })

  it('is made in the name of an operator, and the owners read who did it', async () => {
    inference.calls.length = 0
    inference.answer = { status: 200, body: { corrected: true, balance_nano: '1' } }
    expect(await correct(operator)).toEqual({ object: 'correction', corrected: true, balance_nano: '1' })
    const sent = { workspace_id: expect.any(String), ...correction }
    expect(inference.calls).toEqual([{ path: '/internal/corrections', body: sent, identity: fleetIdentity }])
    const { data } = await operator.call(listAudit, { params: { slug: 'acme' } })
    const { reference: subject, ...after } = correction
    const actor = { id: await idOf(operator) }
    expect(data[0]).toMatchObject({ action: 'wallet.correction_requested', subject, after, actor })
  })

  it.each([
    ['too little', 402, 'insufficient_balance', 409, 'conflict', 'amount_nano'],
    ['a used reference', 409, 'conflict', 409, 'conflict', 'reference'],
    ['a failure of inference', 500, 'internal_error', 503, 'service_unavailable', null],
  ])('says of %s what it is', async (_what, status, code, shown, shownCode, param) => {
    const error = { code, type: 'invalid_request_error', param: null, request_id: 'r', message: 'no' }
    inference.answer = { status, body: { error } }
    const answer = await operator.send('/api/admin/workspaces/acme/corrections', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(correction),
    })
    expect([answer.status, await answer.json()]).toMatchObject([shown, { error: { code: shownCode, param } }])
  })

  it('is refused without an amount or a reason, and for those who are no operators', async () => {
    inference.calls.length = 0
    const admin = await dashboard.member(operator, 'acme', { role: 'admin' })
    for (const changes of [{ amount_nano: '0' }, { amount_nano: '-0' }, { reason: '' }]) {
      await expect(correct(operator, changes)).rejects.toMatchObject({ status: 400 })
    }
    await expect(correct(admin)).rejects.toMatchObject({ status: 403 })
    expect(inference.calls).toEqual([])
  })
})

describe('limits of a workspace', () => {
  const params = { slug: 'acme' }

  it('are changed by an operator, as far as they are given, and the owners read who did it', async () => {
    const none = { requests_per_minute: null, tokens_per_minute: null, guarded_calls_per_minute: null }
    const limits = async () =>
      (await operator.call(listAllWorkspaces, { query: { search: 'acme' } })).data.find(({ slug }) => slug === 'acme')
        ?.limits
    expect(await limits()).toEqual(none)
    const changed = await operator.call(changeWorkspaceLimits, { params, body: { guarded_calls_per_minute: 500 } })
    expect(changed).toEqual({ object: 'limits', slug: 'acme', ...none, guarded_calls_per_minute: 500 })
    await operator.call(changeWorkspaceLimits, { params, body: { requests_per_minute: 60 } })
    expect(await limits()).toEqual({ ...none, guarded_calls_per_minute: 500, requests_per_minute: 60 })
    const { data } = await operator.call(listAudit, { params })
    expect(data[0]).toMatchObject({
      action: 'settings.changed',
      before: { requests_per_minute: null },
      after: { requests_per_minute: 60 },
      actor: { id: await idOf(operator) },
    })
    await operator.call(changeWorkspaceLimits, { params, body: { requests_per_minute: 60 } })
    expect((await operator.call(listAudit, { params })).data[0]?.id).toBe(data[0]?.id)
  })

  it('are refused out of range, and for those who are no operators', async () => {
    const admin = await dashboard.member(operator, 'acme', { role: 'admin' })
    const change = (by: TestBrowser, slug: string, guarded_calls_per_minute: number) =>
      by.call(changeWorkspaceLimits, { params: { slug }, body: { guarded_calls_per_minute } })
    await expect(change(operator, 'acme', 0)).rejects.toMatchObject({ status: 400 })
    await expect(change(admin, 'acme', 5)).rejects.toMatchObject({ status: 403 })
    await expect(change(operator, 'nothing', 5)).rejects.toMatchObject({ status: 404 })
  })
})

it('lists the providers of the installation as inference sees them', async () => {
  const provider = { id: 'acme', name: 'Acme', models: 0, name_patterns: ['acme/<name>'], installation_key: true }
  const data = [{ ...provider, ejected_deployments: 1, answered: 9, failed: 1 }]
  inference.calls.length = 0
  inference.answer = { status: 200, body: { object: 'list', data } }
  expect((await operator.call(listAllProviders)).data).toEqual(data)
  expect(inference.calls).toEqual([{ path: '/internal/providers', body: null, identity: fleetIdentity }])
  inference.answer = { status: 500, body: {} }
  await expect(operator.call(listAllProviders)).rejects.toMatchObject({ status: 503 })
})

it('creates a workspace for a person without an account, who chooses a password by a link', async () => {
  const email = 'ann@new.example'
  const body = { slug: 'made', name: 'Made', owner_email: email }
  const { owner_link: sent } = await operator.call(createWorkspace, { body })
  const token = sent?.link?.split('/').at(-1) ?? ''
  await dashboard.browser().call(resetPassword, { body: { token, new_password: password } })
  const ann = dashboard.browser()
  await ann.call(signInWithPassword, { body: { email, password } })
  expect((await ann.call(readMe)).workspaces).toEqual([{ slug: 'made', name: 'Made', role: 'owner', may_grade: true }])
  const { data } = await ann.call(listAudit, { params: { slug: 'made' } })
  const made = data.find(({ action }) => action === 'workspace.created')
  expect([data.length, made]).toMatchObject([
    3,
    { actor: { id: await idOf(operator) }, after: { slug: 'made', owner: await idOf(ann) } },
  ])
  expect((await operator.call(readMe)).workspaces.map(({ slug }) => slug)).not.toContain('made')
  expect(JSON.stringify([data, dashboard.logLines])).not.toContain(token)
  const again = { slug: 'made-again', name: 'Made again', owner_email: email }
  expect((await operator.call(createWorkspace, { body: again })).owner_link).toBeNull()
  await expect(operator.call(createWorkspace, { body: again })).rejects.toMatchObject({ status: 409 })
  const params = { id: await idOf(ann) }
  await operator.call(changeUser, { params, body: { disabled: true } })
  const third = operator.call(createWorkspace, { body: { ...again, slug: 'of-disabled' } })
  await expect(third).rejects.toMatchObject({ status: 409, code: 'conflict' })
  expect((await operator.call(listAllWorkspaces, { query: { search: 'of-disabled' } })).total).toBe(0)
  await expect(ann.call(createWorkspace, { body: { slug: 'own', name: 'Own' } })).rejects.toMatchObject({ status: 401 })
})
