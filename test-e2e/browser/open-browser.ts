import { AxeBuilder } from '@axe-core/playwright'
import { findChromium } from '@ratchet/infra/browser/find-chromium'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/* The browser of the tests: the Chromium of this machine, without anything that it does on its own. */

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Root has no sandbox, and tests of containers run as root.
  '--no-sandbox',
]

/** Starts the browser; the tests of a file share it. `npm test` has installed it before the stage, if it was missing. */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = await findChromium({ env: process.env, say: (text) => process.stderr.write(`▸ ${text}\n`) })
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...more], chromiumSandbox: false })
}

/** A person with a browser of their own: cookies and storage are shared with nobody else. */
export interface Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** What the content security policy refused, and what scripts threw or logged as errors, on every page so far. */
  readonly complaints: readonly string[]
  /** Rules of WCAG 2.2 A and AA that the page breaks, with the elements; empty when it breaks none. */
  accessibilityProblems(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface VisitOptions {
  readonly colorScheme?: 'light' | 'dark'
  /** Pixels. */
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** Many fleets have no evals or no training, of which pages show a number or a name; they show the rest without them. */
function isMissingService(text: string, url: string): boolean {
  return text.includes('status of 503') && /\/v1\/(?:evals|fine_tuning\/jobs)\?/.test(url)
}

/** Runs in the page before its own scripts. */
const noteViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  noteViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export async function visit(
  browser: Browser,
  origin: string,
  { colorScheme = 'light', viewport = { width: 1280, height: 800 } }: VisitOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: origin, colorScheme, viewport })
  const complaints: string[] = []
  await context.exposeBinding('noteViolation', (_source, text: string) => void complaints.push(text))
  await context.addInitScript({ content: noteViolations })
  context.on('weberror', (error) => void complaints.push(`thrown: ${error.error().message}`))
  context.on('console', (message) => {
    const { url } = message.location()
    if (message.type() !== 'error' || isMissingService(message.text(), url)) return
    complaints.push(`logged: ${message.text()} (${url})`)
  })
  const page = await context.newPage()
  return {
    page,
    context,
    complaints,
    async accessibilityProblems() {
      const { violations } = await new AxeBuilder({ page })
        .options({ resultTypes: ['violations'], rules: { 'landmark-unique': { enabled: true } } })
        .withTags(wcag)
        .setLegacyMode()
        .analyze()
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    },
    close: () => context.close(),
  }
}
