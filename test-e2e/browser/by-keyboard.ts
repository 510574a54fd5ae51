import type { Page } from 'playwright-core'

/** Widths at which everything must be reachable: a small phone, and a window of 1280 pixels at a zoom of 200 %. */
export const narrowViews = [
  ['320 pixels', { width: 320, height: 640 }],
  ['a zoom of 200 %', { width: 640, height: 400 }],
] as const

interface Focused {
  readonly name: string
  /** What is wrong with where it is; empty when it is visible, seen to have the focus, and under nothing. */
  readonly problem: string
  /** Nothing in the page has the focus. */
  readonly isPage: boolean
}

const describeFocus = `(() => {
  const element = document.activeElement
  const control = element.matches('input, textarea') ? element.closest('[data-size], label, div') ?? element : element
  const named = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent ?? ''
  const box = element.getBoundingClientRect()
  const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1)
  const y = Math.min(Math.max(box.top + Math.min(box.height / 2, 12), 0), innerHeight - 1)
  const top = document.elementFromPoint(x, y)
  const isCovered = top === null || !(element.contains(top) || top.contains(element) || control.contains(top))
  const isOutside = box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth
  const style = getComputedStyle(element)
  const isField = element.matches('input, textarea, select')
  const isSeen = isField || style.outlineStyle !== 'none' || style.boxShadow !== 'none'
  const problem = isOutside ? 'outside of the window'
    : isCovered ? 'covered by ' + top?.outerHTML.slice(0, 120)
    : isSeen ? '' : 'not seen to have the focus: ' + element.outerHTML.slice(0, 120)
  return { name: named.trim(), problem, isPage: element === document.body }
})()`

/** Presses Tab until a control with this name has the focus. Each control on the way must be visible. */
export async function tabTo(page: Page, name: RegExp, maxPresses = 40): Promise<void> {
  const seen: string[] = []
  for (let press = 0; press < maxPresses; press += 1) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(describeFocus)) as Focused
    // After the last control Tab leaves the page, and comes back to its first one.
    if (focused.isPage) continue
    if (focused.problem !== '') throw new Error(`${focused.name}: ${focused.problem}`)
    if (name.test(focused.name)) return
    seen.push(focused.name)
  }
  throw new Error(`no control ${name} among ${seen.join(' | ')}`)
}

/** Presses Tab through all controls of a page, and returns their names. Each must be visible when it has the focus. */
export async function tabThroughPage(page: Page, maxPresses = 200): Promise<readonly string[]> {
  await page.evaluate('document.activeElement.blur()')
  const names: string[] = []
  for (let press = 0; press < maxPresses; press += 1) {
    await page.keyboard.press('Tab')
    const { name, problem, isPage } = (await page.evaluate(describeFocus)) as Focused
    if (isPage) return names
    if (problem !== '') throw new Error(`${page.url()}: ${name}: ${problem}`)
    names.push(name)
  }
  throw new Error(`${page.url()}: no end after ${maxPresses} controls: ${names.slice(-5).join(' | ')}`)
}

/** Pixels by which the page is wider than the window. */
export function sidewaysPixels(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
