import type { Page } from 'playwright-core'

async function select(page: Page, label: string, option: string): Promise<void> {
  const input = page.getByRole('combobox', { name: label }).or(page.getByRole('textbox', { name: label }))
  await input.first().click()
  await page.getByRole('option', { name: option, exact: true }).click()
  await page.keyboard.press('Escape')
}

/** Opens the form of a new eval and fills it in, but for its size. */
export async function fillNewEval(page: Page, path: string, candidates: readonly string[]): Promise<void> {
  await page.goto(path)
  await page
    .getByText(/\d+ exchanges/)
    .first()
    .waitFor()
  await select(page, 'Baseline', 'sim/small')
  for (const model of candidates) await select(page, 'Candidates', model)
  await page.getByText('A description', { exact: true }).click()
  await page.getByRole('textbox', { name: 'A good answer' }).fill('The answer is right.')
  await select(page, 'Model of the judge', 'sim/judge')
}
