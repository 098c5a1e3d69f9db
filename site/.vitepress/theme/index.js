/** VitePress's own theme, and the few rules that the documents need. */
import theme from 'vitepress/theme';
import './style.css';

export default theme;
