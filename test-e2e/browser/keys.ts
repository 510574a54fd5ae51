import { eventually } from '@ratchet/testing/eventually'
import type { Page } from 'playwright-core'
import { tabTo } from './by-keyboard.ts'

/* What people do by keyboard alone. */

const maxPresses = 120

/** Goes to a field by Tab and replaces its text. */
export async function typeInto(page: Page, field: RegExp, text: string): Promise<void> {
  await tabTo(page, field, maxPresses)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** Goes to a control by Tab and presses it. */
export async function pressControl(page: Page, name: RegExp, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, name, maxPresses)
  await page.keyboard.press(key)
}

/** Goes to a page of the rail by its letter. Parts of a page that are still loaded may take the keys over between the two. */
export async function jumpTo(page: Page, letter: string, heading: string): Promise<void> {
  const title = page.getByRole('heading', { name: heading, level: 1 })
  await eventually(
    async () => {
      for (const key of ['g', letter]) await page.keyboard.press(key)
      await title.waitFor({ timeout: 3_000 })
    },
    { withinMs: 30_000, everyMs: 100 },
  )
}
