import { defineConfig } from "vite";

// One script and one style, to be written into a notebook's cell: nothing is fetched when the cell is shown.
export default defineConfig({
  publicDir: false,
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    outDir: "../src/symoro/ui/web/static/notebook",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    lib: { entry: "src/notebook.tsx", formats: ["iife"], name: "symoroScene", fileName: () => "scene.js", cssFileName: "scene" },
  },
});
