import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** Shades from light to dark. White text on shades 6 and 7 has at least 4.5:1. */
const pine: MantineColorsTuple = [
  ...(['#e8f6f3', '#cdeae4', '#9ed7cc', '#6cc7b8', '#3fae9d'] as const),
  ...(['#23937f', '#177d6c', '#116a5c', '#0d554a', '#083f37'] as const),
]
const slate: MantineColorsTuple = [
  ...(['#f6f7f7', '#eceeee', '#dde1e1', '#c6cccc', '#a3acac'] as const),
  ...(['#7d8887', '#5d6867', '#4a5453', '#343c3b', '#1d2423'] as const),
]
const ink: MantineColorsTuple = [
  ...(['#e4eae8', '#c3ccca', '#a5b0ad', '#74807d', '#465250'] as const),
  ...(['#333d3b', '#262f2d', '#1a211f', '#141a18', '#0f1412'] as const),
]
const brick: MantineColorsTuple = [
  ...(['#fdeeec', '#f9d6d2', '#f4b2ab', '#ff9d92', '#e26a5e'] as const),
  ...(['#cf4437', '#bd3428', '#a92b20', '#86231b', '#5f1913'] as const),
]

const small = { defaultProps: { size: 'xs' } } as const

/** The look of all components: small, plain, one accent. */
export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.3,
  colors: { pine, gray: slate, dark: ink, red: brick },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  components: {
    // Fields beside each other stay in line, whichever of them are explained.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Button: small,
    TextInput: small,
    Textarea: small,
    PasswordInput: small,
    NumberInput: small,
    Select: small,
    MultiSelect: small,
    TagsInput: small,
    Switch: small,
    Checkbox: small,
    Radio: small,
    SegmentedControl: small,
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Menu: { defaultProps: { shadow: 'sm', withinPortal: true } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'md',
        transitionProps: { duration: 100 },
        closeButtonProps: { 'aria-label': 'Close' },
        // Else it would be a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Autocomplete: small,
    Text: { defaultProps: { size: 'sm' } },
  },
})

/** Mantine's own colours for dimmed text, placeholders and errors are too pale for WCAG AA. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b2221',
    '--mantine-color-dimmed': '#586361',
    '--mantine-color-placeholder': '#68726f',
    '--mantine-color-error': '#a92b20',
    '--mantine-color-anchor': '#0f6557',
    '--mantine-color-pine-light': '#e3f3f0',
    '--mantine-color-pine-light-hover': '#d2ebe6',
    '--mantine-color-pine-light-color': '#0d554a',
    '--mantine-color-red-light': '#fbe7e4',
    '--mantine-color-red-light-hover': '#f8d9d5',
    '--mantine-color-red-light-color': '#86231b',
    '--mantine-color-gray-light': '#eef0f0',
    '--mantine-color-gray-light-color': '#343c3b',
    '--mantine-color-default-border': '#d3d8d8',
  },
  dark: {
    '--mantine-color-body': '#141a18',
    '--mantine-color-text': '#e4eae8',
    '--mantine-color-dimmed': '#a5b0ad',
    '--mantine-color-placeholder': '#97a29f',
    '--mantine-color-error': '#ff9d92',
    '--mantine-color-anchor': '#6cc7b8',
    '--mantine-color-pine-light': '#17352f',
    '--mantine-color-pine-light-hover': '#1c423b',
    '--mantine-color-pine-light-color': '#8ed9cb',
    '--mantine-color-red-light': '#43211d',
    '--mantine-color-red-light-hover': '#522823',
    '--mantine-color-red-light-color': '#ffb3aa',
    '--mantine-color-gray-light': '#262f2d',
    '--mantine-color-gray-light-color': '#c3ccca',
    '--mantine-color-default': '#1a211f',
    '--mantine-color-default-hover': '#222a28',
    '--mantine-color-default-border': '#37423f',
  },
})
