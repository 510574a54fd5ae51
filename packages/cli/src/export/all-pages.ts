/** A page of a list, and whether others follow. It may have fewer rows than were asked for. */
interface Page<Row> {
  readonly data: readonly Row[]
  readonly has_more: boolean
}

interface Extent {
  /** Maximum number of rows in all. */
  readonly max: number
  /** Maximum number of rows that are asked for at once. */
  readonly rowsOfPage?: number
}

/**
 * The rows of a list, page by page, until no others follow, a page is empty or there are enough.
 *
 * @param read reads a page of at most this many rows, after the rows so far
 */
export async function* allPages<Row>(
  read: (limit: number, sofar: { readonly count: number; readonly last: Row | undefined }) => Promise<Page<Row>>,
  { max, rowsOfPage = 200 }: Extent,
): AsyncGenerator<readonly Row[]> {
  let count = 0
  let last: Row | undefined
  while (count < max) {
    const { data, has_more: hasMore } = await read(Math.min(rowsOfPage, max - count), { count, last })
    if (data.length > 0) yield data
    if (data.length === 0 || !hasMore) return
    count += data.length
    last = data.at(-1)
  }
}
