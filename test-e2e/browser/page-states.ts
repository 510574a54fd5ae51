import { eventually } from '@ratchet/testing/eventually'
import type { BrowserContext, Page } from 'playwright-core'
import { adviceWithoutRight, failureText, holdReplies, noRightText, workspaceReads } from './held-replies.ts'

/* What every page of a workspace shows while it loads, after an error, and to somebody who may not read. */

const withinMs = 20_000
/** Pixels by which a heading may move when its page is read. */
const maxJump = 4

/** Waits until a page has its title, and nothing of it is being read. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.locator('main:not(:has([aria-busy="true"]))').waitFor()
}

/**
 * Opens a page that shows what it reads, and leads it through its states: it says that it loads, what failed with the id of the
 * request, and who gives the right; each time Retry reads again. Resolves when it shows what the server replied.
 */
export async function openThroughStates(
  context: BrowserContext,
  path: string,
  reads: string = workspaceReads,
): Promise<Page> {
  const page = await newPage(context)
  const replies = await holdReplies(page, reads)
  await page.goto(path, { waitUntil: 'domcontentloaded' })
  const heading = page.locator('main h1').first()
  await page.locator('main [role=status][aria-busy=true][aria-label=Loading]').first().waitFor()
  const loading = await heading.boundingBox()
  const alerts = page.locator('main [role=alert]')
  replies.enter('failed')
  await alerts.filter({ hasText: failureText }).first().waitFor()
  await alerts.first().getByRole('button', { name: 'Copy the id of the request' }).waitFor()
  replies.enter('refused')
  await retryOne(page)
  const advice = reads === workspaceReads ? adviceWithoutRight : noRightText
  await alerts.filter({ hasText: advice }).first().waitFor()
  replies.enter('given')
  await retryAll(page)
  await settle(page)
  // A button that was pressed may have been below the fold.
  await page.evaluate('scrollTo(0, 0)')
  const settled = await heading.boundingBox()
  // A line above it may be a little higher when it is filled.
  expect(Math.abs((settled?.y ?? Number.NaN) - (loading?.y ?? 0))).toBeLessThan(maxJump)
  return page
}

/** Opens a page whose form is there before anything is read. Where it reads what it offers, it says that this failed, and Retry reads again. */
export async function openForm(
  context: BrowserContext,
  path: string,
  { reads }: { readonly reads: boolean },
): Promise<Page> {
  const page = await newPage(context)
  const replies = await holdReplies(page)
  await page.goto(path, { waitUntil: 'domcontentloaded' })
  await page.locator('main h1').first().waitFor()
  replies.enter('failed')
  if (reads) await page.locator('main [role=alert]').filter({ hasText: failureText }).first().waitFor()
  replies.enter('given')
  await retryAll(page)
  await settle(page)
  return page
}

async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(withinMs)
  return page
}

/** Reads all again that could not be read. A page may have several parts, each with its own error. */
export async function retryAll(page: Page): Promise<void> {
  const failed = page.locator('main [role=alert]').filter({ hasText: /It cannot be read now|You may not read this/ })
  await eventually(
    async () => {
      await retryOne(page)
      return (await failed.count()) === 0
    },
    { withinMs, everyMs: 30 },
  )
}

async function retryOne(page: Page): Promise<void> {
  const button = page.locator('main').getByRole('button', { name: 'Retry', exact: true }).first()
  // It may be gone before it is pressed, because a part read again by itself.
  if ((await button.count()) > 0) await button.click({ timeout: 2_000 }).catch(() => undefined)
}
