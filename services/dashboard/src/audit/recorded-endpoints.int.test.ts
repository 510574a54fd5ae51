import { randomBytes } from 'node:crypto'
import { changeMe, createWorkspace, setUp } from '@ratchet/contracts/dashboard/account'
import {
  changeUser,
  changeWorkspace,
  correctWorkspaceWallet,
  createResetLink,
  creditWorkspace,
} from '@ratchet/contracts/dashboard/admin'
import { retryWork } from '@ratchet/contracts/dashboard/admin-ledgers'
import { changeWorkspaceLimits } from '@ratchet/contracts/dashboard/admin-limits'
import { removeBudget, setBudget } from '@ratchet/contracts/dashboard/budgets'
import type { DashboardEndpoint } from '@ratchet/contracts/dashboard/dashboard-endpoint'
import { dashboardEndpoints } from '@ratchet/contracts/dashboard/dashboard-endpoints'
import { cancelPersonErasure, confirmPersonErasure, requestPersonErasure } from '@ratchet/contracts/dashboard/erasures'
import { changeApiKey, createApiKey, revokeApiKey } from '@ratchet/contracts/dashboard/keys'
import {
  acceptInvitation,
  changeMember,
  createInvitation,
  leaveWorkspace,
  listMembers,
  removeMember,
  withdrawInvitation,
} from '@ratchet/contracts/dashboard/members'
import { removeProviderKey, saveProviderKey } from '@ratchet/contracts/dashboard/provider-keys'
import { changeSettings } from '@ratchet/contracts/dashboard/settings'
import {
  addPasskey,
  changePassword,
  listPasskeys,
  readPasskeyOptions,
  removePasskey,
  resetPassword,
} from '@ratchet/contracts/dashboard/sign-in'
import { operationName } from '@ratchet/contracts/endpoint'
import { password, startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'
import { type ScriptedInference, startScriptedInference } from '../scripted-inference.fixture.ts'
import { createAuthenticator } from '../sign-in/authenticator.fixture.ts'

/* Every endpoint of the dashboard: what it changes in a workspace is one entry of its log, or the reason why it changes none. */

let dashboard: TestDashboard
let inference: ScriptedInference
let owner: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  inference = await startScriptedInference(() => dashboard.inferenceKey)
  dashboard = await startTestDashboard({ env: inference.env })
  owner = await dashboard.owner('acme')
})
afterAll(async () => {
  await dashboard.stop()
  await inference.stop()
})

const tokenOf = (link: string | null) => link?.split('/').at(-1) ?? ''
const authenticator = () => createAuthenticator(dashboard.origin)

async function userIdOf(): Promise<string> {
  await dashboard.member(owner, 'acme', { role: 'member' })
  const { data } = await owner.call(listMembers, { params })
  return data.at(-1)?.user_id ?? ''
}

async function invited() {
  const email = `${randomBytes(4).toString('hex')}@acme.example`
  return owner.call(createInvitation, { params, body: { email, role: 'member' } })
}

async function passkey(): Promise<string> {
  const { challenge } = await owner.call(readPasskeyOptions)
  await owner.call(addPasskey, { body: { response: authenticator().register(String(challenge)) } })
  return (await owner.call(listPasskeys)).data[0]?.id ?? ''
}

async function addDeadLetter(): Promise<void> {
  const client = await dashboard.pool.connect()
  // The rows that this row references are not needed here.
  await client.query("SET session_replication_role = 'replica'")
  await client.query(
    `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at, state, failures, last_error)
     SELECT gen_random_uuid(), id, id, 'online', 1, gen_random_uuid(), now(), 'poisoned', 5, 'no'
     FROM workspace WHERE slug = 'acme'`,
  )
  await client.query('RESET session_replication_role')
  client.release()
}

const key = () => owner.call(createApiKey, { params, body: { name: 'deploy' } })
const budget = { scope: 'workspace', subject: '', period: 'day', amount_nano: '5000000000' } as const
const erasure = async () => {
  const person = `ann-${randomBytes(4).toString('hex')}`
  const { id } = await owner.call(requestPersonErasure, { params, body: { person } })
  return { id, person }
}
const amount = { amount_nano: '1000000000', reason: 'Paid.' }

type Change = () => Promise<unknown>
type Recorded = readonly [action: string, endpoint: DashboardEndpoint, prepare: () => Change | Promise<Change>]

/** Each endpoint that changes a workspace. What it needs is made before. */
const recorded: readonly Recorded[] = [
  [
    'setup.completed',
    setUp,
    async () => {
      const token = await dashboard.setUpToken()
      const person = { email: 'first@second.example', name: 'First', password }
      const body = { token, ...person, workspace: { slug: 'second', name: 'Second' } }
      return () => dashboard.browser().call(setUp, { body })
    },
  ],
  [
    'workspace.created',
    createWorkspace,
    () => () => owner.call(createWorkspace, { body: { slug: 'third', name: 'Third' } }),
  ],
  [
    'person.erasure_requested',
    requestPersonErasure,
    () => () => owner.call(requestPersonErasure, { params, body: { person: 'ann' } }),
  ],
  [
    'person.erasure_confirmed',
    confirmPersonErasure,
    async () => {
      const { id, person } = await erasure()
      await dashboard.pool.query("UPDATE person_erasure SET state = 'found' WHERE id = $1", [id])
      return () => owner.call(confirmPersonErasure, { params: { ...params, id }, body: { person } })
    },
  ],
  [
    'person.erasure_cancelled',
    cancelPersonErasure,
    async () => {
      const { id } = await erasure()
      return () => owner.call(cancelPersonErasure, { params: { ...params, id } })
    },
  ],
  [
    'user.changed',
    changeMe,
    async () => {
      const person = await dashboard.member(owner, 'acme', { role: 'member' })
      return () => person.call(changeMe, { body: { name: 'Another' } })
    },
  ],
  [
    'user.password_changed',
    changePassword,
    async () => {
      const person = await dashboard.member(owner, 'acme', { role: 'member' })
      const body = { current_password: password, new_password: 'another long password' }
      return () => person.call(changePassword, { body })
    },
  ],
  [
    'user.password_changed',
    resetPassword,
    async () => {
      const { link } = await owner.call(createResetLink, { params: { id: await userIdOf() } })
      const body = { token: tokenOf(link), new_password: 'another long password' }
      return () => dashboard.browser().call(resetPassword, { body })
    },
  ],
  [
    'user.passkey_added',
    addPasskey,
    async () => {
      const person = await dashboard.member(owner, 'acme', { role: 'member' })
      const { challenge } = await person.call(readPasskeyOptions)
      const response = authenticator().register(String(challenge))
      return () => person.call(addPasskey, { body: { response } })
    },
  ],
  [
    'user.passkey_removed',
    removePasskey,
    async () => {
      const person = owner
      const id = await passkey()
      await dashboard.pool.query(
        "DELETE FROM membership m USING workspace w WHERE w.id = m.workspace_id AND w.slug = 'third'",
      )
      return () => person.call(removePasskey, { params: { id } })
    },
  ],
  [
    'settings.changed',
    changeSettings,
    () => () => owner.call(changeSettings, { params, body: { logging: { enabled: true } } }),
  ],
  ['key.created', createApiKey, () => key],
  [
    'key.changed',
    changeApiKey,
    async () => {
      const { id } = await key()
      return () => owner.call(changeApiKey, { params: { ...params, id }, body: { name: 'Another' } })
    },
  ],
  [
    'key.revoked',
    revokeApiKey,
    async () => {
      const { id } = await key()
      return () => owner.call(revokeApiKey, { params: { ...params, id } })
    },
  ],
  ['budget.set', setBudget, () => () => owner.call(setBudget, { params, body: budget })],
  [
    'budget.removed',
    removeBudget,
    async () => {
      const { id } = await owner.call(setBudget, { params, body: { ...budget, period: 'week' } })
      return () => owner.call(removeBudget, { params: { ...params, id } })
    },
  ],
  [
    'provider_key.saved',
    saveProviderKey,
    () => () =>
      owner.call(saveProviderKey, {
        params: { ...params, provider: 'openai' },
        body: { key: 'sk-provider-0123456789' },
      }),
  ],
  [
    'provider_key.removed',
    removeProviderKey,
    () => () => owner.call(removeProviderKey, { params: { ...params, provider: 'openai' } }),
  ],
  [
    'member.changed',
    changeMember,
    async () => {
      const id = await userIdOf()
      return () => owner.call(changeMember, { params: { ...params, user_id: id }, body: { role: 'admin' } })
    },
  ],
  [
    'member.removed',
    removeMember,
    async () => {
      const id = await userIdOf()
      return () => owner.call(removeMember, { params: { ...params, user_id: id } })
    },
  ],
  [
    'member.left',
    leaveWorkspace,
    async () => {
      const person = await dashboard.member(owner, 'acme', { role: 'member' })
      return () => person.call(leaveWorkspace, { params })
    },
  ],
  ['invitation.created', createInvitation, () => invited],
  [
    'invitation.withdrawn',
    withdrawInvitation,
    async () => {
      const { id } = await invited()
      return () => owner.call(withdrawInvitation, { params: { ...params, id } })
    },
  ],
  [
    'invitation.accepted',
    acceptInvitation,
    async () => {
      const { link } = await invited()
      const body = { token: tokenOf(link), name: 'Ann', password }
      return () => dashboard.browser().call(acceptInvitation, { body })
    },
  ],
  [
    'user.changed',
    changeUser,
    async () => {
      const id = await userIdOf()
      return () => owner.call(changeUser, { params: { id }, body: { operator: true } })
    },
  ],
  [
    'user.reset_link_created',
    createResetLink,
    async () => {
      const id = await userIdOf()
      return () => owner.call(createResetLink, { params: { id } })
    },
  ],
  [
    'wallet.credit_requested',
    creditWorkspace,
    () => {
      inference.answer = { status: 200, body: { balance_nano: '1000000000', credited: true } }
      return () => owner.call(creditWorkspace, { params, body: { ...amount, reference: 'inv-1' } })
    },
  ],
  [
    'wallet.correction_requested',
    correctWorkspaceWallet,
    () => {
      inference.answer = { status: 200, body: { balance_nano: '0', corrected: true } }
      const body = { ...amount, amount_nano: '-1000000000', reference: 'corr-1' }
      return () => owner.call(correctWorkspaceWallet, { params, body })
    },
  ],
  [
    'settings.changed',
    changeWorkspaceLimits,
    () => () => owner.call(changeWorkspaceLimits, { params, body: { guarded_calls_per_minute: 7 } }),
  ],
  [
    'work.retried',
    retryWork,
    async () => {
      await addDeadLetter()
      return () => owner.call(retryWork, { body: { slug: 'acme', error: 'no' } })
    },
  ],
  [
    'workspace.disabled',
    changeWorkspace,
    () => () => owner.call(changeWorkspace, { params, body: { disabled: true } }),
  ],
]

/** Why the others change no workspace. */
const noChanges: Readonly<Record<string, readonly string[]>> = {
  'it opens and ends sessions, which are listed for their person': [
    'POST /api/auth/sign-in/email',
    'POST /api/auth/sign-in/social',
    'POST /api/auth/passkey/verify-authentication',
    'POST /api/auth/sign-out',
    'DELETE /api/sessions/:id',
  ],
  'it reads': ['POST /api/invite'],
  'it is what a person sees, and nobody else': ['PUT /api/preferences', 'PUT /api/w/:slug/views'],
}

it('lists every endpoint of the dashboard that does not only read', () => {
  const listed = [...recorded.map(([, endpoint]) => operationName(endpoint)), ...Object.values(noChanges).flat()]
  const all = dashboardEndpoints.filter(({ method }) => method !== 'get').map(operationName)
  expect(listed.toSorted()).toEqual(all.toSorted())
})

async function entries(): Promise<readonly string[]> {
  const text = "SELECT content::json ->> 'action' AS action FROM audit_log ORDER BY content::json ->> 'at', position"
  const { rows } = await dashboard.pool.query<{ action: string }>(text)
  return rows.map(({ action }) => action)
}

it.each(recorded.map(([action, endpoint, prepare]) => [operationName(endpoint), action, prepare] as const))(
  'leaves one entry: %s',
  async (_, action, prepare) => {
    const change = await prepare()
    const before = await entries()
    await change()
    const after = await entries()
    expect([after.length - before.length, after.filter((each) => each === action).length]).toEqual([
      1,
      before.filter((each) => each === action).length + 1,
    ])
  },
)
