import { UnstyledButton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import styles from './picture.module.css'

/** The numbers of a picture as text. */
interface PictureTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

interface PictureProps {
  /** The whole picture as a sentence. */
  readonly sentence: string
  /** Pixels, or how many at a width of the page. */
  readonly height: number | ((width: number) => number)
  /** Draws the picture at a width of the page. */
  readonly children: (width: number) => ReactNode
  /** With it the reader can see the numbers instead. */
  readonly table?: PictureTable
}

/** A drawing that names itself by a sentence, with its numbers as a table on request. */
export function Picture({ sentence, height, children, table }: PictureProps): ReactNode {
  const { ref, width } = useElementSize()
  const [showsTable, setShowsTable] = useState(false)
  return (
    <figure className={styles.figure}>
      <div ref={ref}>
        {showsTable && table ? (
          <PictureNumbers {...table} label={sentence} />
        ) : (
          <svg
            role="img"
            aria-label={sentence}
            width={width}
            height={typeof height === 'number' ? height : height(width)}
            className={styles.svg}
          >
            {width > 0 && children(width)}
          </svg>
        )}
      </div>
      {table && (
        <figcaption className={styles.caption}>
          <UnstyledButton
            className={styles.toggle}
            onClick={() => setShowsTable(!showsTable)}
            aria-pressed={showsTable}
          >
            {showsTable ? 'Show the picture' : 'Show the numbers'}
          </UnstyledButton>
        </figcaption>
      )}
    </figure>
  )
}

function PictureNumbers({ columns, rows, label }: PictureTable & { readonly label: string }): ReactNode {
  return (
    <div className={styles.numbers}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('|')}>
              {row.map((cell, index) => (
                <td key={columns[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Patterns for parts that colour alone must not tell apart. `id` is the prefix of their names. */
export function Hatch({ id, color }: { readonly id: string; readonly color: string }): ReactNode {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" y1="0" x2="0" y2="6" stroke={color} strokeWidth="2" />
      </pattern>
    </defs>
  )
}
