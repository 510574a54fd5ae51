import { useCallback, useEffect, useState } from 'react'
import { useKey } from '../../keys/key-context.ts'

/** What can be done with rows. */
export interface RowActions<Row> {
  readonly onOpen?: ((row: Row, index: number) => void) | undefined
  /** Called when a key moved to a row, so that details beside the list follow. */
  readonly onMove?: ((row: Row) => void) | undefined
  /** Key of the row whose details are open. Keys move from there. */
  readonly openKey?: string | undefined
}

interface RowKeysInput<Row> extends RowActions<Row> {
  readonly rows: readonly Row[]
  /** Rows of the list before `rows`; indexes count from there. */
  readonly firstIndex?: number
  readonly rowKey: (row: Row) => string
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (key: string, isSelected: boolean) => void
  readonly onMore?: (() => void) | undefined
  readonly onEarlier?: (() => void) | undefined
  readonly scrollTo: (index: number) => void
}

/** The keys of a list: `j` and `k` move, `Enter` opens, `x` selects. */
export function useRowKeys<Row>(input: RowKeysInput<Row>) {
  const {
    rows,
    firstIndex = 0,
    rowKey,
    selected,
    onSelect,
    onOpen,
    onMove,
    openKey,
    onMore,
    onEarlier,
    scrollTo,
  } = input
  const [pointed, setPointed] = useState(-1)
  const opened = openKey === undefined ? -1 : rows.findIndex((each) => rowKey(each) === openKey)
  const current = opened === -1 ? pointed - firstIndex : opened
  const row = rows[current]
  const move = (by: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, current + by))
    setPointed(firstIndex + next)
    if (next >= rows.length - 3) onMore?.()
    else if (next < 3) onEarlier?.()
    scrollTo(next)
    const moved = rows[next]
    if (moved !== undefined) onMove?.(moved)
  }
  useKey('row.next', () => move(1), { enabled: rows.length > 0 })
  useKey('row.previous', () => move(-1), { enabled: rows.length > 0 })
  useKey('row.open', () => row !== undefined && onOpen?.(row, current), {
    enabled: row !== undefined && onOpen !== undefined,
  })
  const select = () => {
    if (row !== undefined) onSelect?.(rowKey(row), !selected?.has(rowKey(row)))
  }
  useKey('row.select', select, { enabled: row !== undefined && onSelect !== undefined })

  const currentKey = row === undefined ? null : rowKey(row)
  useEffect(() => {
    if (currentKey !== null) document.getElementById(`row-${currentKey}`)?.scrollIntoView({ block: 'nearest' })
  }, [currentKey])
  return { current: firstIndex + current, point: useCallback((index: number) => setPointed(index), []) }
}
