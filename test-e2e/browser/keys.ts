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

interface Choice {
  /** Typed into the field, so that fewer options are left. */
  readonly typed?: string
  readonly option: string | RegExp
}

/** Goes to a list of choices by Tab and takes the first one that has this name. */
export async function chooseIn(page: Page, field: RegExp, { typed, option: name }: Choice): Promise<void> {
  await tabTo(page, field, maxPresses)
  if (typed !== undefined) await page.keyboard.type(typed)
  const option = page.getByRole('option', { name }).first()
  // The list opens with a key, and its options come with a reply.
  if ((await option.count()) === 0) await page.keyboard.press('ArrowDown')
  await option.waitFor()
  await eventually(
    async () => {
      if ((await option.getAttribute('data-combobox-selected')) === 'true') return true
      await page.keyboard.press('ArrowDown')
      return false
    },
    { withinMs: 10_000, everyMs: 30 },
  )
  await page.keyboard.press('Enter')
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

/** Sends a form by its keys, once it may be sent. */
export async function submit(page: Page, button: string): Promise<void> {
  await eventually(() => page.getByRole('button', { name: button }).isEnabled(), { withinMs: 15_000 })
  await page.keyboard.press('Control+Enter')
}
