import { buildWeb } from '@ratchet/infra/bundle/build-web'
import type { Browser } from 'playwright-core'
import { openBrowser, type VisitOptions, type Visitor, visit } from './open-browser.ts'
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts'

interface Opened {
  readonly visitor: Visitor
  readonly server: ScriptedServer
}

/** The built pages with scripted replies instead of a fleet, for one test after the other. */
export function scriptedPages() {
  let browser: Browser | undefined
  let pages = ''
  let opened: Opened | undefined
  const openWith = async (folder: string, file: string, script: Script, options: VisitOptions): Promise<Opened> => {
    if (browser === undefined) throw new Error('The browser is not started.')
    const server = await startScriptedServer(folder, file, script)
    opened = { server, visitor: await visit(browser, server.url, options) }
    return opened
  }
  return {
    /** @param flags of the browser, such as those of a simulated microphone */
    async start(flags: readonly string[] = []): Promise<void> {
      ;[browser, pages] = await Promise.all([openBrowser(flags), buildWeb()])
    },
    async open(path: string, { script, ...options }: VisitOptions & { readonly script: Script }): Promise<Opened> {
      const found = await openWith(pages, 'index.html', script, options)
      await found.visitor.page.goto(path)
      return found
    },
    /** The page that shows every part; the test goes to it. */
    async openGallery(options: VisitOptions): Promise<Opened> {
      return openWith(await buildWeb('gallery'), 'gallery.html', {}, options)
    },
    /** Ends what the last test opened. */
    async close(): Promise<void> {
      await opened?.visitor.close()
      await opened?.server.close()
      opened = undefined
    },
    stop: async () => browser?.close(),
  }
}
