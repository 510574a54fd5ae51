import type { DefaultTheme, UserConfig } from 'vitepress'
import { placeLink } from './place-link.ts'

export interface SiteParts {
  /** All pages, from the root of the site. */
  readonly files: readonly string[]
  readonly sidebar: DefaultTheme.SidebarMulti
}

/** The settings of VitePress. A link that leads to no page fails the build. */
export function siteConfig({ files, sidebar }: SiteParts): UserConfig<DefaultTheme.Config> {
  const known = new Set(files)
  return {
    title: 'Ratchet',
    description: 'Self-hosted LLM gateway that closes the improvement loop.',
    lang: 'en',
    cleanUrls: false,
    rewrites: (file) => file.replace(/README\.md$/, 'index.md'),
    markdown: {
      html: false,
      config: (markdown) => {
        // Braces of documents, such as those of templates, are no expressions of Vue.
        markdown.renderer.rules.text = (tokens, at) =>
          markdown.utils.escapeHtml(tokens[at]?.content ?? '').replaceAll('{{', '&#123;&#123;')
        markdown.core.ruler.push('place-links', ({ tokens, env }) => {
          for (const token of tokens) placeLinks(token.children ?? [], env.relativePath as string, known)
        })
      },
    },
    themeConfig: {
      nav: [
        { text: 'Start', link: '/' },
        { text: 'Endpoints', link: '/reference/endpoints/' },
        { text: 'Operations', link: '/docs/operations' },
        { text: 'Decisions', link: '/docs/adr/0001-endpoint-values' },
      ],
      sidebar,
      outline: 'deep',
      search: { provider: 'local' },
    },
  }
}

interface LinkToken {
  type: string
  tag: string
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
  attrs: [string, string][] | null
}

function placeLinks(tokens: readonly LinkToken[], from: string, files: ReadonlySet<string>): void {
  let isText = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const placed = placeLink(from, token.attrGet('href') ?? '', files)
      isText = placed.kind === 'text'
      if (placed.kind === 'page') token.attrSet('href', placed.href)
    }
    if (isText && token.type.startsWith('link_')) {
      token.tag = 'span'
      token.type = token.type.replace('link', 'plain')
      token.attrs = null
    }
  }
}
