import { demoScript } from './browser/demo-script.ts'
import { doneErasure, foundErasure } from './browser/erasure-script.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal } from './browser/scripted-server.ts'

/* What a person who is responsible for data does on the page of erasures, with scripted replies instead of a fleet. */

const pages = scriptedPages()
beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const erasures = '/api/w/demo/erasures'

it('counts what belongs to an end user, erases it after the name was typed, and shows the receipt', async () => {
  const waits = [{ service: 'voice', reason: 'a call with the person goes on' }]
  const erasing = { ...foundErasure, state: 'erasing', progress: { done: 8, of: 32 }, waits }
  let row: unknown = null
  const script = {
    ...demoScript,
    [`GET ${erasures}`]: () => ({ object: 'list', data: row === null ? [] : [row] }),
    [`POST ${erasures}`]: (body: unknown) => {
      if ((body as { readonly person: string }).person === 'twice') return refusal(409, 'conflict', 'It has begun.')
      row = foundErasure
      return foundErasure
    },
    [`POST ${erasures}/${foundErasure.id}/confirm`]: () => {
      row = erasing
      return erasing
    },
  }
  const { visitor, server } = await pages.open('/w/demo/settings/erasure', { script })
  const { page } = visitor
  await page.getByText('No erasures').waitFor()
  await page.getByRole('button', { name: 'Find an end user' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('End user').fill('twice')
  await dialog.getByRole('button', { name: 'Count' }).click()
  await dialog.getByText('It has begun.').waitFor()
  await dialog.getByLabel('End user').fill('ann-1842')
  await dialog.getByRole('button', { name: 'Count' }).click()
  await page.getByText('Found: 1,216').waitFor()
  await page.getByText('grade notes (judging)').waitFor()
  await page.getByText('support-v2').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('button', { name: 'Erase it all' }).click()
  const erase = page.getByRole('button', { name: 'Erase', exact: true })
  expect(await erase.isDisabled()).toBe(true)
  await page.getByLabel('Type ann-1842 to continue').fill('ann-1842')
  await erase.click()
  await page.getByText('voice waits: a call with the person goes on.').waitFor()
  row = { ...doneErasure, id: foundErasure.id }
  await page.getByText('Charges are kept by law.', { exact: false }).waitFor()
  const link = page.getByRole('link', { name: 'Download the receipt' })
  expect(await link.getAttribute('href')).toContain(`${erasures}/${foundErasure.id}/receipt.json`)
  expect(await visitor.accessibilityProblems()).toEqual([])
  const sent = server.calls.filter(({ call }) => !call.startsWith('GET'))
  expect(sent.map(({ call }) => call)).toEqual([
    `POST ${erasures}`,
    `POST ${erasures}`,
    `POST ${erasures}/${foundErasure.id}/confirm`,
  ])
}, 180_000)
