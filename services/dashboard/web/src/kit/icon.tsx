import type { ReactNode } from 'react'

/** Paths of lines on a square of 20, for the rail and buttons. */
const paths = {
  home: 'M3 9.5 10 3.5l7 6M5 8v8.5h10V8',
  playground: 'M6 4.5v11l9-5.5z',
  logs: 'M4 5h12M4 10h12M4 15h8',
  failures: 'M10 3.5 17.5 16.5h-15zM10 8v4M10 14v.5',
  traces: 'M4 5h6M7 10h6M10 15h6M4 5v5h3M7 10v5h3',
  segments: 'M10 3a7 7 0 1 0 7 7h-7zM13 3.6A7 7 0 0 1 16.4 7H13z',
  review: 'M3.5 10.5 7.5 14.5 16.5 5.5',
  judges: 'M10 3v14M5 17h10M4 6h12M4 6l-2 5h4zM16 6l-2 5h4z',
  evals: 'M4 16V9M8 16V5M12 16v-5M16 16V7',
  aliases: 'M3 10h5l5-5h4M8 10l5 5h4M15 3l2 2-2 2M15 13l2 2-2 2',
  datasets:
    'M4 5c0-1.1 2.7-2 6-2s6 .9 6 2-2.7 2-6 2-6-.9-6-2zM4 5v10c0 1.1 2.7 2 6 2s6-.9 6-2V5M4 10c0 1.1 2.7 2 6 2s6-.9 6-2',
  voice:
    'M10 3a2.2 2.2 0 0 0-2.2 2.2v4.3a2.2 2.2 0 0 0 4.4 0V5.2A2.2 2.2 0 0 0 10 3zM5 9.5a5 5 0 0 0 10 0M10 14.5V17M7 17h6',
  training: 'M3 16 8 9l3 3 6-8M17 4v4M17 4h-4',
  billing: 'M3 5.5h14v9H3zM3 8.5h14M6 12h3',
  settings: 'M4 6h8M15 6h1M12 4.5v3M4 10h2M9 10h7M6.5 8.5v3M4 14h6M13 14h3M10.5 12.5v3',
  admin: 'M10 3l6 2.5V10c0 3.5-2.5 6-6 7-3.5-1-6-3.5-6-7V5.5z',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l3.5 3.5',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  down: 'M5 8l5 5 5-5',
  up: 'M5 12l5-5 5 5',
  right: 'M8 5l5 5-5 5',
  plus: 'M10 4v12M4 10h12',
  check: 'M4 10.5 8 14.5 16 5.5',
  user: 'M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4 17c.5-3.5 3-5 6-5s5.5 1.5 6 5',
  sun: 'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M4.7 15.3l1.4-1.4M13.9 6.1l1.4-1.4',
  columns: 'M3.5 4h13v12h-13zM8 4v12M12.5 4v12',
  download: 'M10 3.5v9M6 9l4 4 4-4M4 16.5h12',
  external: 'M8 5H4.5v10.5H15V12M11 4h5v5M16 4l-7 7',
} as const

export type IconName = keyof typeof paths

interface IconProps {
  readonly name: IconName
  readonly size?: number
}

/** A picture beside a word. It has no name for screen readers, because the word is there. */
export function Icon({ name, size = 16 }: IconProps): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false" style={{ flexShrink: 0 }}>
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === 'more' ? 2.6 : 1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
