import { connectPrisma } from '@ratchet/db/connect'
import { setPassword } from '@ratchet/db/one-time-links'
import { hashOfPassword } from '@ratchet/service-kit/identity/password-hash'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { Browser } from 'playwright-core'
import type { Fleet } from '../fleet.ts'
import { type VisitOptions, type Visitor, visit } from './open-browser.ts'

const password = 'correct horse battery staple'

/** Gives a user a password; returns the address. */
async function givePassword(databaseUrl: string, userId: string): Promise<string> {
  const db = connectPrisma({ databaseUrl, max: 1 })
  const at = new Date()
  await setPassword(db, { id: uuidV7(at.getTime()), userId, hash: await hashOfPassword(password), at })
  const user = await db.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } })
  await db.$disconnect()
  return user.email
}

interface MemberOptions extends VisitOptions {
  /** Another member of the workspace than its owner. */
  readonly userId?: string
}

/** A member of the fleet's workspace, by default its owner, in a browser of their own, signed in. */
export function visitSignedIn(
  fleet: Fleet,
  browser: Browser,
  { userId = fleet.workspace.userId, ...options }: MemberOptions = {},
): Promise<Visitor> {
  return visitAs(fleet, browser, { ...options, userId, slug: fleet.workspace.slug })
}

interface SignedInOptions extends VisitOptions {
  readonly userId: string
  /** Of the workspace where the person lands. */
  readonly slug: string
}

/** A person in a browser of their own, signed in. */
export async function visitAs(
  fleet: Pick<Fleet, 'databaseUrl' | 'url'>,
  browser: Browser,
  { userId, slug, ...options }: SignedInOptions,
): Promise<Visitor> {
  const email = await givePassword(fleet.databaseUrl, userId)
  const visitor = await visit(browser, fleet.url.replace('127.0.0.1', 'localhost'), options)
  const { page } = visitor
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: /e-?mail/i }).fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/w/${slug}`))
  return visitor
}
