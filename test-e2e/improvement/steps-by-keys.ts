import { eventually } from '@ratchet/testing/eventually'
import type { Page } from 'playwright-core'
import { tabTo } from '../browser/by-keyboard.ts'
import { chooseIn, jumpTo, pressControl, submit, typeInto } from '../browser/keys.ts'
import { batchCard, shownItem, truthOf } from '../browser/round-steps.ts'

/* The steps from traffic to a promoted model, as a person does them by keyboard. */

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

/** The formatted text of an answer, which comes a moment after its page. */
const isFormatted = (text: string) => /\?[\s\S]*\w\./.test(text)

interface NewAlias {
  readonly name: string
  readonly target: string
  /** Points by which a canary may be worse. The more, the fewer grades are needed. */
  readonly margin: number
}

export async function createAlias(page: Page, { name, target, margin }: NewAlias): Promise<void> {
  await jumpTo(page, 'a', 'Aliases')
  await page.keyboard.press('c')
  await heading(page, 'New alias').waitFor()
  await typeInto(page, /^Name/, name)
  await typeInto(page, /^Target/, target)
  await typeInto(page, /^Margin/, String(margin))
  await submit(page, 'Create the alias')
  await heading(page, name).waitFor()
}

/** A judge that fails flawed answers and judges all new traffic. */
export async function createJudge(page: Page, name: string): Promise<void> {
  await jumpTo(page, 'j', 'Judges')
  await page.keyboard.press('c')
  await heading(page, 'New judge').waitFor()
  await typeInto(page, /^Name/, name)
  await typeInto(page, /^An answer fails when/, 'The answer contains a mistake.')
  await typeInto(page, /^Model/, 'sim/judge-1-1')
  await pressControl(page, /^Create the judge/)
  await heading(page, name).waitFor()
  await pressControl(page, /^Monitor$/)
  const judgesAll = page.getByRole('switch', { name: 'Judge new traffic' })
  await judgesAll.waitFor()
  if (!(await judgesAll.isChecked())) await pressControl(page, /^Judge new traffic/, 'Space')
  await typeInto(page, /^Share/, '100')
  await pressControl(page, /^Save$/)
  await page.getByText('The monitor is saved.').waitFor()
}

/** Grades the answers of a round truly until the judge is proven. */
export async function proveJudge(page: Page, name: string, batches: number): Promise<void> {
  await jumpTo(page, 'r', 'Review')
  await page.keyboard.press('c')
  await page
    .getByRole('dialog')
    .getByText(/verdicts on \d+ exchanges/)
    .waitFor()
  await pressControl(page, /^Open the round/)
  await page.getByRole('cell', { name: 'open', exact: true }).waitFor({ timeout: 60_000 })
  await pressControl(page, new RegExp(`^${name}$`))
  for (let batch = 0; batch < batches; batch += 1) await gradeBatch(page)
  await jumpTo(page, 'j', 'Judges')
  await pressControl(page, new RegExp(`^${name}$`))
  await page.getByRole('button', { name: 'Calibrate' }).waitFor()
  await page.keyboard.press('c')
  await page
    .getByRole('dialog')
    .getByText(/fail, \d+ pass/)
    .waitFor()
  await pressControl(page, /^Calibrate$/)
  await page.getByText('trustworthy', { exact: true }).first().waitFor({ timeout: 60_000 })
}

/** Has the judge whose page is open decide about more of the traffic than people graded. */
export async function scanTraffic(page: Page): Promise<void> {
  await pressControl(page, /^Scans$/)
  await page.getByRole('button', { name: 'Scan', exact: true }).waitFor()
  await typeInto(page, /^Sample/, '300')
  await pressControl(page, /^Scan$/)
  await page.getByText('Pass rate by the judge').waitFor({ timeout: 60_000 })
}

/** Grades the batch on screen truly, reads its verdicts, and goes on to the next one. */
async function gradeBatch(page: Page): Promise<void> {
  const isOver = async () => (await batchCard(page).count()) > 0
  await shownItem(page).waitFor()
  for (;;) {
    const text = await eventually(async () => {
      if (await isOver()) return 'over'
      const shown =
        (await shownItem(page)
          .textContent({ timeout: 1_000 })
          .catch(() => null)) ?? ''
      return isFormatted(shown) ? shown : null
    })
    if (text === 'over') break
    await page.keyboard.press(truthOf(text) === 'fail' ? 'f' : 'p')
  }
  await page.keyboard.press('Enter')
  await page
    .getByText(/judge:/)
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
}

/** A dataset of what the judge passed, of all answers when there is none. */
export async function createDataset(
  page: Page,
  { name, judge, since }: { readonly name: string; readonly judge?: string; readonly since?: Date },
): Promise<void> {
  await jumpTo(page, 'd', 'Datasets')
  await page.keyboard.press('c')
  await heading(page, 'New dataset').waitFor()
  if (since !== undefined) await filterSince(page, since)
  if (judge !== undefined) await chooseIn(page, /^Judge$/, { option: judge })
  await typeInto(page, /^Held out/, judge === undefined ? '0' : '20')
  await typeInto(page, /^Name/, name)
  await submit(page, 'Create the dataset')
  await heading(page, name).waitFor()
}

/** Types a time into the filter of the page, as a person does: part by part. */
async function filterSince(page: Page, since: Date): Promise<void> {
  await pressControl(page, /^Filter$/)
  await page.getByRole('textbox', { name: 'Model' }).waitFor()
  await tabTo(page, /^From$/, 20)
  const two = (value: number) => String(value).padStart(2, '0')
  const hour = since.getHours()
  await page.keyboard.type(`${two(since.getMonth() + 1)}${two(since.getDate())}${since.getFullYear()}`)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type(`${two(hour % 12 === 0 ? 12 : hour % 12)}${two(since.getMinutes())}${hour < 12 ? 'A' : 'P'}`)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByText(/^From: /).waitFor()
}

/** Trains a model on the dataset whose page is open. Resolves on the page of its version, which the pool serves. */
export async function trainOnDataset(
  page: Page,
  { model, suffix }: { readonly model: string; readonly suffix: string },
) {
  await pressControl(page, /^Train a model on it/)
  await heading(page, 'New job').waitFor()
  await chooseIn(page, /^Model$/, { typed: model, option: model })
  await typeInto(page, /^Suffix/, suffix)
  await submit(page, 'Start the job')
  await heading(page, `${suffix}, from ${model}`).waitFor()
  await page.getByText('Open the version').waitFor({ timeout: 60_000 })
  await pressControl(page, /^Open the version/)
  await page.getByText('candidate', { exact: true }).first().waitFor()
  await pressControl(page, /^Serve$/)
  await page.getByRole('dialog').getByText('Engines that share').waitFor()
  await pressControl(page, /^Serve the version/)
  await page.getByText('are answered by the pool').waitFor({ timeout: 60_000 })
}

/** Compares two models on the dataset whose page is open, by all of its prompts. */
export async function compareOnDataset(
  page: Page,
  { baseline, candidate, judge }: { readonly baseline: string; readonly candidate: string; readonly judge: string },
): Promise<void> {
  await pressControl(page, /^Compare models on it/)
  await heading(page, 'New eval').waitFor()
  await chooseIn(page, /^Baseline/, { typed: baseline, option: new RegExp(`^${baseline}$`) })
  await chooseIn(page, /^Candidates/, { typed: candidate, option: candidate })
  await page.keyboard.press('Escape')
  await chooseIn(page, /^Judge$/, { option: judge })
  await tabTo(page, /^Number of prompts/, 120)
  await page.keyboard.press('End')
  await submit(page, 'Start the eval')
  await page.getByRole('heading', { name: 'Figures' }).waitFor({ timeout: 120_000 })
}

export async function openVersion(page: Page, title: string): Promise<void> {
  await jumpTo(page, 'n', 'Training')
  await pressControl(page, /^Model versions$/)
  await page.getByRole('row', { name: title }).first().waitFor()
  // The list may still be loaded while the keys are pressed. However often this is done, it opens the first row.
  await eventually(
    async () => {
      for (const key of ['j', 'k', 'Enter']) await page.keyboard.press(key)
      await heading(page, title).waitFor({ timeout: 3_000 })
    },
    { withinMs: 30_000, everyMs: 100 },
  )
}

/** Makes the version whose page is open the canary of an alias, watched by a judge. */
export async function adoptAsCanary(page: Page, { alias, judge }: { readonly alias: string; readonly judge: string }) {
  await pressControl(page, /^Adopt$/)
  await page.getByRole('dialog', { name: 'Adopt this version' }).waitFor()
  await chooseIn(page, /^Alias( \*)?$/, { typed: alias, option: alias })
  await typeInto(page, /^Share of the requests/, '50')
  await chooseIn(page, /^Judge of the gate/, { option: judge })
  await pressControl(page, /^Adopt$/)
  await page.getByText('adopted', { exact: true }).first().waitFor()
}

export async function openCanary(page: Page, alias: string): Promise<void> {
  await jumpTo(page, 'a', 'Aliases')
  await pressControl(page, new RegExp(`^${alias}$`))
  await heading(page, alias).waitFor()
  await pressControl(page, /^Canary/)
}

/** Draws answers of both arms and grades them truly, one after the other, until none is left or the gate has decided. */
export async function gradeDrawn(page: Page, button: RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).waitFor()
  await pressControl(page, button)
  const start = page.getByRole('button', { name: /^Grade (them|the others)/ })
  const none = page.getByText('No further answer is scored')
  await start.or(none).first().waitFor()
  if ((await none.count()) > 0) return
  await pressControl(page, /^Grade (them|the others)/)
  const panel = page.getByRole('dialog', { name: /^Answer \d+ of / })
  let graded = ''
  const gradeNext = async () => {
    if ((await page.getByText(/ are drawn, /).count()) === 0) return 'over'
    const text = (await panel.textContent({ timeout: 1_000 }).catch(() => null)) ?? ''
    if (answerOf(text) === graded || !isFormatted(text)) throw new Error(`after ${graded}: ${text.slice(0, 500)}`)
    graded = answerOf(text)
    await page.keyboard.press(truthOf(text) === 'fail' ? 'f' : 'p')
    return 'graded'
  }
  for (;;) {
    const done = await eventually(gradeNext, { withinMs: 5_000, everyMs: 50 }).catch(() => {
      // A key that is pressed before its control listens is lost, and is pressed again.
      graded = ''
      return eventually(gradeNext, { withinMs: 25_000, everyMs: 50 })
    })
    if (done === 'over') return
  }
}

const answerOf = (panel: string) => /Answer \d+ of \d+/.exec(panel)?.[0] ?? ''
