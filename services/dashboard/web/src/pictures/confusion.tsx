import { type ReactNode, useId } from 'react'
import { count, percent } from '../kit/numbers.ts'
import { type Cell, type ConfusionWeights, mosaicOf } from './mosaic.ts'
import { Hatch, Picture } from './picture.tsx'

interface ConfusionProps {
  /** Number of graded items in each cell. */
  readonly counts: ConfusionWeights
  /** What each cell stands for in the traffic. */
  readonly weights: ConfusionWeights
  readonly onCell?: ((cell: Cell) => void) | undefined
}

const words: Record<Cell, string> = {
  tp: 'both fail',
  fn: 'missed: people fail, judge passes',
  fp: 'false alarm: people pass, judge fails',
  tn: 'both pass',
}
const order: readonly Cell[] = ['tp', 'fn', 'fp', 'tn']

/** What people and a judge say about the same items. Below the drawing, each cell is a button that opens its items. */
export function Confusion({ counts, weights, onCell }: ConfusionProps): ReactNode {
  const hatch = useId()
  const boxes = mosaicOf(weights)
  const share = (cell: Cell) => percent(boxes.find((box) => box.cell === cell)?.share ?? 0)
  const sentence = order
    .map((cell) => `${words[cell]}: ${count(counts[cell])}, ${share(cell)} of the traffic`)
    .join('; ')
  return (
    <div>
      <Picture sentence={`People and judge. ${sentence}.`} height={180}>
        {(width) => (
          <>
            <Hatch id={hatch} color="var(--state-wrong)" />
            {boxes.map(({ cell, x, y, width: w, height: h }) => {
              const isWrong = cell === 'fn' || cell === 'fp'
              const box = { x: x * width + 1, y: y * 180 + 1, width: w * width - 2, height: h * 180 - 2, rx: 3 }
              return (
                <g key={cell}>
                  <rect
                    {...box}
                    fill={isWrong ? 'var(--state-wrong-soft)' : 'var(--state-proven-soft)'}
                    stroke="var(--line)"
                  />
                  {isWrong && <rect {...box} fill={`url(#${hatch})`} opacity={0.25} />}
                  {box.width > 84 && (
                    <text x={box.x + 8} y={box.y + 15} style={{ fill: 'var(--text)' }}>
                      {count(counts[cell])} · {share(cell)}
                    </text>
                  )}
                </g>
              )
            })}
          </>
        )}
      </Picture>
      <ul style={{ display: 'flex', flexWrap: 'wrap', gap: 6, margin: '8px 0 0', padding: 0, listStyle: 'none' }}>
        {order.map((cell) => (
          <li key={cell}>
            <CellButton text={`${words[cell]} (${count(counts[cell])})`} onPress={onCell && (() => onCell(cell))} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function CellButton({
  text,
  onPress,
}: {
  readonly text: string
  readonly onPress: (() => void) | undefined
}): ReactNode {
  const style = { font: 'inherit', fontSize: '0.8125rem', color: 'var(--text)', background: 'var(--sunken)' }
  const box = { border: '1px solid var(--line)', borderRadius: 4, padding: '3px 8px' }
  if (onPress === undefined) return <span style={{ ...style, ...box }}>{text}</span>
  return (
    <button type="button" onClick={onPress} style={{ ...style, ...box, cursor: 'pointer' }}>
      {text}
    </button>
  )
}
