/** The ledger in the main database. */
export const mainLedger = 'main'

const entryPattern = /^([a-z][a-z0-9-]{0,30})=(postgres(?:ql)?:\/\/\S+)$/

/**
 * Reads `b=postgres://…,c=postgres://…`: the databases of the ledgers beside the main one, by their names. A comma in a
 * password is written as %2C. Messages never contain a URL, which may include a password.
 *
 * @param mainUrl the main database, which must not be that of another ledger
 * @throws RangeError for an entry without a name or a URL, and for a name or a database that occurs twice
 */
export function parseLedgerUrls(text: string, mainUrl?: string): ReadonlyMap<string, string> {
  const urls = new Map<string, string>()
  for (const [index, entry] of text.split(',').entries()) {
    const [, name, url] = entryPattern.exec(entry.trim()) ?? []
    if (name === undefined || url === undefined || !URL.canParse(url)) {
      throw new RangeError(`entry ${index + 1}: expected <name>=postgres://…, and %2C for a comma in a password`)
    }
    if (name === mainLedger) throw new RangeError(`${mainLedger} is the ledger of DATABASE_URL`)
    if (urls.has(name)) throw new RangeError(`the ledger ${name} occurs twice`)
    urls.set(name, url)
  }
  checkPlaces(urls, mainUrl)
  return urls
}

/** @throws RangeError when two ledgers have the same database */
export function checkPlaces(urls: ReadonlyMap<string, string>, mainUrl?: string): void {
  const places = new Set(mainUrl === undefined ? [] : [placeOf(mainUrl)])
  for (const [name, url] of urls) {
    if (places.has(placeOf(url))) throw new RangeError(`the database of the ledger ${name} is also that of another one`)
    places.add(placeOf(url))
  }
}

function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port === '' ? '5432' : port}${pathname}`
}
