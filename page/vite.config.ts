import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // Everything is a file of our own: the policy allows neither data: scripts
    // nor styles within the document.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licences.md' },   // Of what is bundled, with their texts.
    chunkSizeWarningLimit: 700,   // The editor, fetched with the first code.
    rollupOptions: {
      output: { hashCharacters: 'hex' },
      checks: { pluginTimings: false },
    },
  },
  worker: { format: 'es' },
  server: {
    // `npm exec vite` beside `coppice serve --port 8080`, for who changes it.
    proxy: { '/api': 'http://127.0.0.1:8080', '/events': 'http://127.0.0.1:8080' },
  },
})
