import type { BrowserContext, Page } from 'playwright-core'

/* What people do on pages of the dashboard, as tests do it. */

/** Signs in on the page for it, and waits for the page after it. */
export async function signInOnPage(
  page: Page,
  { email, password, lands }: { readonly email: string; readonly password: string; readonly lands: RegExp },
): Promise<void> {
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(lands)
}

/** Creates an API key on the page for it, and returns its value and the shown command. */
export async function createKeyOnPage(page: Page, slug: string, name: string) {
  await page.goto(`/w/${slug}/settings/keys`)
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const key = ((await page.getByLabel('The new API key').textContent()) ?? '').trim()
  const command = (await page.getByLabel('A request with the key').textContent()) ?? ''
  return { key, command }
}

/** Texts of every answer that a browser receives, and of every request that it sends, from now on. */
export function recordTraffic(context: BrowserContext) {
  const answers: Promise<string>[] = []
  const requests: string[] = []
  context.on('request', (request) => {
    requests.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`)
  })
  context.on('response', (response) => {
    // A stream, and an answer whose page was left, have no whole body.
    if ((response.headers()['content-type'] ?? '').includes('event-stream')) return
    const text = response.text().catch(() => '')
    answers.push(text.then((body) => `${JSON.stringify(response.headers())} ${body}`))
  })
  return {
    answersWith: async (text: string) => (await Promise.all(answers)).filter((answer) => answer.includes(text)).length,
    requestsWith: (text: string) => requests.filter((request) => request.includes(text)).length,
  }
}

/** Gives the browser an authenticator that confirms by itself. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Everything that scripts of the page could store in the browser. */
export function storedInBrowser(page: Page): Promise<string> {
  return page.evaluate(`(async () => {
    const cached = []
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) cached.push(request.url, await (await cache.match(request)).text())
    }
    const databases = await indexedDB.databases()
    return JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, cached, databases, history.state, location.href, document.cookie,
      document.documentElement.outerHTML,
    ])
  })()`) as Promise<string>
}
