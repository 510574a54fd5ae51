import { randomUUID } from 'node:crypto'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import type { Fleet } from '../fleet.ts'
import type { Api, Json } from '../judged-traffic.ts'
import { sendFromPage } from '../signed-in.ts'
import type { Visitor } from './open-browser.ts'
import { visitAs } from './signed-in.ts'

/* What people do in rounds of review, in a browser and by the requests that its pages send. */

interface ImportedExchanges {
  readonly tag: string
  readonly count: number
  /** Every fifth is flawed by default. */
  readonly flawedEvery?: number
  /** What the answer is about: `thing 7` by default. */
  readonly thing?: (number: number) => string
}

/** Exchanges of which some are flawed; resolves when they are in the log. */
export async function importExchanges(api: Api, imported: ImportedExchanges) {
  const { tag, count, flawedEvery = 5, thing = (number) => `thing ${number}` } = imported
  for (let from = 0; from < count; from += 500) {
    const logs = Array.from({ length: Math.min(500, count - from) }, (_, index) => ({
      model: 'acme/chat',
      tag,
      finish_reason: 'stop',
      created_at: new Date(Date.now() - 3_600_000 - (from + index)).toISOString(),
      messages: [{ role: 'user', content: `${tag}: what is in box ${from + index}?` }],
      response: {
        role: 'assistant',
        content: `It is ${(from + index) % flawedEvery === 0 ? '(flawed) ' : ''}${thing(from + index)}.`,
      },
    }))
    const { status, json, text } = await api('POST', '/logs/import', { logs })
    if (status !== 200 || json.imported !== logs.length) throw new Error(`${status}: ${text.slice(0, 500)}`)
  }
}

export const truthOf = (text: string): 'pass' | 'fail' => (text.includes('(flawed)') ? 'fail' : 'pass')

/** A person who grades, with a page of their own. */
export interface RoundPerson extends Visitor {
  readonly userId: string
  /** Sends what a page of review sends. */
  readonly send: (method: string, path: string, body?: unknown) => Promise<Json>
}

interface Place {
  readonly userId: string
  readonly slug: string
}

export async function visitRounds(fleet: Fleet, browser: Browser, place: Place): Promise<RoundPerson> {
  const visitor = await visitAs(fleet, browser, place)
  await visitor.page.emulateMedia({ reducedMotion: 'reduce' })
  const send: RoundPerson['send'] = async (method, path, body) => {
    const cookie = (await visitor.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const request = { method, cookie, ...(body === undefined ? {} : { body }) }
    const answer = await sendFromPage(fleet, `/api/w/${place.slug}/session/review${path}`, request)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  return { ...visitor, userId: place.userId, send }
}

/** Opens a round without items that measure the grader; resolves with its id when people can grade. */
export async function openRound(by: Pick<RoundPerson, 'send'>, body: object): Promise<string> {
  const shares = { double_percent: 0, again_percent: 0, known_percent: 0 }
  const { id } = await by.send('POST', '/rounds', { ...shares, ...body })
  await eventually(async () => ((await by.send('GET', `/rounds/${id}`)).status === 'open' ? true : null), {
    withinMs: 120_000,
    everyMs: 200,
  })
  return id
}

/** Makes the batches of a person so much older, as if the time had passed. */
export async function letPass(
  pool: Pool,
  minutes: number,
  { round, of }: { readonly round: string; readonly of: Pick<RoundPerson, 'userId'> },
): Promise<void> {
  const text = `UPDATE review_claim SET created_at = created_at - $3 * interval '1 minute',
      leased_until = leased_until - $3 * interval '1 minute'
    WHERE round_id = $1 AND grader_id = $2`
  await pool.query(text, [uuidOf('round', round), of.userId, minutes])
}

export interface GradeChoice {
  readonly label: 'pass' | 'fail'
  readonly rationale?: string
}

/** Grades what is claimed until the round has nothing left or so many are graded; gives the times of the grades in ms. */
export async function gradeByScript(
  by: Pick<RoundPerson, 'send'>,
  round: string,
  {
    count = Number.POSITIVE_INFINITY,
    choose,
  }: { readonly count?: number; readonly choose: (text: string) => GradeChoice },
): Promise<readonly number[]> {
  const times: number[] = []
  while (times.length < count) {
    const claim = await by.send('POST', `/rounds/${round}/claim`, {})
    if (claim.id === null) break
    for (const item of claim.items) {
      const begun = performance.now()
      await by.send('POST', '/grades', {
        grade_id: randomUUID(),
        claim_id: claim.id,
        item_id: item.id,
        shown_ms: 3_000,
        ...choose(String(item.response.content)),
      })
      times.push(performance.now() - begun)
    }
  }
  return times
}

export const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

export const shownItem = (page: Page) => page.locator('section[data-shown="true"]')
export const batchCard = (page: Page) => page.getByRole('heading', { name: /^Batch \d+$/ })

/** Grades the item on screen by a key. Formatted texts come a moment after their page. */
export async function gradeByKey(page: Page): Promise<void> {
  await shownItem(page)
    .getByText(/thing \d|settles case/)
    .first()
    .waitFor()
  const text = (await shownItem(page).textContent()) ?? ''
  await page.keyboard.press(truthOf(text) === 'fail' ? 'f' : 'p')
}

/** Grades by keys until the card of the batch, reads the verdicts, and goes on. */
export async function gradeBatchByKeys(page: Page): Promise<void> {
  await shownItem(page).waitFor()
  while ((await batchCard(page).count()) === 0) await gradeByKey(page)
  await page.keyboard.press('Enter')
  await page
    .getByText(/judge:/)
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
}

/** The page breaks no rule in light and dark, and fits a phone. */
export async function isInOrder({ page, accessibilityProblems }: RoundPerson): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityProblems()).toEqual([])
  }
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
}
