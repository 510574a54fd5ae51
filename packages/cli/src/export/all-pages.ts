/** A page of a list, and how the next one is asked for. */
interface Page<Row> {
  readonly data: readonly Row[]
}

/**
 * The rows of a list, page by page, until a page is not full or there are enough.
 *
 * @param read reads a page of at most this many rows, after the rows so far
 */
export async function* allPages<Row>(
  read: (limit: number, sofar: { readonly count: number; readonly last: Row | undefined }) => Promise<Page<Row>>,
  max: number,
): AsyncGenerator<readonly Row[]> {
  let count = 0
  let last: Row | undefined
  while (count < max) {
    const limit = Math.min(rowsOfPage, max - count)
    const { data } = await read(limit, { count, last })
    if (data.length > 0) yield data
    if (data.length < limit) return
    count += data.length
    last = data.at(-1)
  }
}

const rowsOfPage = 200
